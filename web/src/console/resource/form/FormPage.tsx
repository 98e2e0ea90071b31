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
  /** Content above the fields; `object` holds the stored values and is empty for a new object. */
  readonly lead?: (values: FormValues, object: FormValues) => ReactNode;
  /** Notice above the submit bar; `dirty` is true after a change. */
  readonly notice?: (values: FormValues, dirty: boolean) => ReactNode;
  /** Runs before saving. False cancels; values replace the values to save. */
  readonly agree?: (values: FormValues, updating: boolean) => Promise<boolean | FormValues>;
  readonly listSearch?: Readonly<Record<string, string>>;
  /**
   * Target after save and cancel, for objects listed on the page of another object; defaults to the
   * list.
   */
  readonly leadsTo?: (values: FormValues) => {
    readonly path: string;
    readonly search?: Readonly<Record<string, string>>;
  };
  /** Offers to save and add another object; true by default. */
  readonly canAddAnother?: boolean;
  readonly toBody?: (body: Record<string, unknown>, values: FormValues) => Record<string, unknown>;
}

/**
 * The generic form page: updates the object named by the id in the address, or creates one without
 * an id.
 */
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
    // A form opened from the setup guide returns to the guide.
    const { path, search } = guide ? { path: DASHBOARD_PATH } : (leadsTo?.(form.values) ?? list);
    await go(path, { ...(search && { search }) });
    // Keep the tab if the user stays because of unsaved changes.
    if (!location.pathname.endsWith(here)) setTabs(closed(currentTabs(), here));
  };
  const form = useResourceForm(source, id, {
    groups,
    ...(overrides && { overrides }),
    ...(initial && { initial }),
    ...(toBody && { toBody }),
    ...(agree && { agree }),
    onSaved: () => void back(),
    // The guide itself shows the next step.
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
