import { useGo, useObjectId } from '../../navigation.tsx';
import { PageHeader } from '../PageHeader.tsx';
import type { Source } from '../source.ts';
import type { FormValues } from './form-state.ts';
import { ResourceForm } from './ResourceForm.tsx';
import type { FieldOverrides, FormGroup } from './spec.ts';
import { useResourceForm } from './useResourceForm.ts';

export interface FormPageProps {
  readonly source: Source;
  readonly groups: readonly FormGroup[];
  readonly overrides?: FieldOverrides;
  readonly initial?: FormValues;
  readonly listPath: string;
  readonly listSearch?: Readonly<Record<string, string>>;
  /** Absent: several may be made one after another. */
  readonly canAddAnother?: boolean;
  readonly toBody?: (body: Record<string, unknown>, values: FormValues) => Record<string, unknown>;
}

/** The generic page to create or change an object; with an id in the address it changes, otherwise it creates. */
export function FormPage({ source, groups, overrides, initial, listPath, listSearch, toBody, canAddAnother = true }: FormPageProps) {
  const id = useObjectId();
  const go = useGo();
  const back = () => go(listPath, { ...(listSearch && { search: listSearch }) });
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
