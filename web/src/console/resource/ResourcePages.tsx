import { Skeleton } from '@mantine/core';
import type { Fields } from '@sallyport/contract';
import { Loading, lazyComponent } from '../../kit/lazy-component.tsx';
import type { RelationCardProps } from './detail/RelationCard.tsx';
import type { FormPageProps } from './form/FormPage.tsx';
import { LazyFormPage } from './form/lazy-form-page.ts';

/*
 * The pages of a resource share one file. The parts used only by forms and detail pages load
 * lazily, so the list starts faster.
 */
const Relations = lazyComponent(() =>
  import('./detail/RelationCard.tsx').then((module) => module.RelationCard),
);

/**
 * The generic form page: updates the object named by the id in the address, or creates one without
 * an id.
 */
export function FormPage<const F extends Fields, Own extends string = never>(
  props: FormPageProps<F, Own>,
) {
  return (
    <Loading fallback={<Skeleton height={320} />}>
      <LazyFormPage {...props} />
    </Loading>
  );
}

/** Lists the related objects, with a select to add some and a button to remove each. */
export function RelationCard(props: RelationCardProps) {
  return (
    <Loading fallback={<Skeleton height={160} />}>
      <Relations {...props} />
    </Loading>
  );
}
