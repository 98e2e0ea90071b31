import type { Fields } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { DASHBOARD_PATH } from '../../base/addresses.ts';
import { useGo, useObjectId, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { pagesOf } from '../../base/resources.ts';
import { currentTabs, setTabs } from '../../base/tabs/store.ts';
import { closed } from '../../base/tabs/tab-list.ts';
import { PageHeader } from '../PageHeader.tsx';
import type { Source } from '../source.ts';
import type { FormValues } from './form-state.ts';
import { ResourceForm } from './ResourceForm.tsx';
import type { FieldName, FieldOverrides, FormGroup } from './spec.ts';
import { useAfterCreating } from './useAfterCreating.ts';
import { useResourceForm } from './useResourceForm.ts';

export interface FormPageProps<F extends Fields, Own extends string> {
  readonly source: Source & { readonly fields: F };
  readonly groups: readonly FormGroup<FieldName<F, NoInfer<Own>>>[];
  readonly overrides?: FieldOverrides;
  readonly initial?: FormValues;
  /** What there is to say about the values before they are saved, above the fields; `object` is what is stored, empty for a new one. */
  readonly lead?: (values: FormValues, object: FormValues) => ReactNode;
  /** What has to be seen before saving, above the bar; `dirty` says whether something was changed. */
  readonly notice?: (values: FormValues, dirty: boolean) => ReactNode;
  /** Asked before saving: false saves nothing, an answer with values saves these instead. */
  readonly agree?: (values: FormValues, updating: boolean) => Promise<boolean | FormValues>;
  readonly listSearch?: Readonly<Record<string, string>>;
  /** Where saving and cancelling lead, for what is listed on the page of another object; absent: to the list. */
  readonly leadsTo?: (values: FormValues) => {
    readonly path: string;
    readonly search?: Readonly<Record<string, string>>;
  };
  /** Absent: several may be made one after another. */
  readonly canAddAnother?: boolean;
  readonly toBody?: (body: Record<string, unknown>, values: FormValues) => Record<string, unknown>;
}

/** The generic page to create or change an object; with an id in the address it changes, otherwise it creates. */
export function FormPage<const F extends Fields, Own extends string = never>({
  source,
  groups,
  overrides,
  initial,
  lead,
  notice,
  agree,
  listSearch,
  leadsTo,
  toBody,
  canAddAnother = true,
}: FormPageProps<F, Own>) {
  const id = useObjectId();
  const go = useGo();
  const { guide } = useSearchRecord();
  const here = usePath();
  const announce = useAfterCreating(source);
  const back = async () => {
    const list = { path: pagesOf(source.name).list, search: listSearch };
    // A step of the guide for new administrators leads back to the guide.
    const { path, search } = guide ? { path: DASHBOARD_PATH } : (leadsTo?.(form.values) ?? list);
    await go(path, { ...(search && { search }) });
    // Who stays, because something is not saved, keeps the tab as well.
    if (!location.pathname.endsWith(here)) setTabs(closed(currentTabs(), here));
  };
  const form = useResourceForm(source, id, {
    groups,
    ...(overrides && { overrides }),
    ...(initial && { initial }),
    ...(toBody && { toBody }),
    ...(agree && { agree }),
    onSaved: () => void back(),
    // The guide itself says what comes next.
    ...(!guide && { announce }),
  });
  return (
    <>
      <PageHeader onBack={() => history.back()} />
      {form.state === 'ready' && lead?.(form.values, form.object)}
      <ResourceForm
        form={form}
        groups={groups}
        {...(overrides && { overrides })}
        onCancel={() => void back()}
        notice={form.state === 'ready' && notice?.(form.values, form.dirty)}
        canAddAnother={canAddAnother}
        takesFocus={!id}
      />
    </>
  );
}
