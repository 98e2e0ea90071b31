import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Source } from '../source.ts';
import type { FormValues } from './form-state.ts';
import type { FieldOverrides, FormGroup } from './spec.ts';

// Lists and forms often stand in one file; a list must not wait for what only forms need.
const FormPageBody = lazy(() => import('./FormPageBody.tsx').then((module) => ({ default: module.FormPageBody })));

export interface FormPageProps {
  readonly source: Source;
  readonly groups: readonly FormGroup[];
  readonly overrides?: FieldOverrides;
  readonly initial?: FormValues;
  readonly listPath: string;
  readonly listSearch?: Readonly<Record<string, string>>;
  /** Where saving and cancelling lead, for what is listed on the page of another object; absent: to the list. */
  readonly leadsTo?: (values: FormValues) => { readonly path: string; readonly search?: Readonly<Record<string, string>> };
  /** Absent: several may be made one after another. */
  readonly canAddAnother?: boolean;
  readonly toBody?: (body: Record<string, unknown>, values: FormValues) => Record<string, unknown>;
}

/** The generic page to create or change an object; with an id in the address it changes, otherwise it creates. */
export function FormPage(props: FormPageProps) {
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <FormPageBody {...props} />
    </Suspense>
  );
}
