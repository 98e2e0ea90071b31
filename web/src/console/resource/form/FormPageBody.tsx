import { useGo, useObjectId } from '../../navigation.tsx';
import { PageHeader } from '../PageHeader.tsx';
import type { FormPageProps } from './FormPage.tsx';
import { ResourceForm } from './ResourceForm.tsx';
import { useResourceForm } from './useResourceForm.ts';

/** The generic page to create or change an object; with an id in the address it changes, otherwise it creates. */
export function FormPageBody({ source, groups, overrides, initial, listPath, listSearch, leadsTo, toBody, canAddAnother = true }: FormPageProps) {
  const id = useObjectId();
  const go = useGo();
  const back = () => {
    const { path, search } = leadsTo?.(form.values) ?? { path: listPath, search: listSearch };
    return go(path, { ...(search && { search }) });
  };
  const form = useResourceForm({
    source,
    id,
    groups,
    ...(overrides && { overrides }),
    ...(initial && { initial }),
    ...(toBody && { toBody }),
    onSaved: () => void back(),
  });
  return (
    <>
      <PageHeader onBack={() => history.back()} />
      <ResourceForm form={form} groups={groups} {...(overrides && { overrides })} onCancel={() => void back()} canAddAnother={canAddAnother} />
    </>
  );
}
