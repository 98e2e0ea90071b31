import { Skeleton } from '@mantine/core';
import type { Fields } from '@sallyport/contract';
import { Loading, lazyComponent } from '../../kit/lazy-component.tsx';
import type { RelationCardProps } from './detail/RelationCard.tsx';
import type { FormPageProps } from './form/FormPage.tsx';
import { LazyFormPage } from './form/lazy-form-page.ts';

/*
 * The pages of a resource are in one file. What only its form or the page of one object needs is loaded with these, so that its list does
 * not wait for it.
 */
const Relations = lazyComponent(() =>
  import('./detail/RelationCard.tsx').then((module) => module.RelationCard),
);

/** The generic page to create or change an object; with an id in the address it changes, otherwise it creates. */
export function FormPage<const F extends Fields, Own extends string = never>(
  props: FormPageProps<F, Own>,
) {
  return (
    <Loading fallback={<Skeleton height={320} />}>
      <LazyFormPage {...props} />
    </Loading>
  );
}

/** What an object is related to: add some with a select, remove each with its minus. */
export function RelationCard(props: RelationCardProps) {
  return (
    <Loading fallback={<Skeleton height={160} />}>
      <Relations {...props} />
    </Loading>
  );
}
