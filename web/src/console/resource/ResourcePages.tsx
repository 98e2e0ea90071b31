import { Skeleton } from '@mantine/core';
import type { Fields } from '@sallyport/contract';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import type { RelationCardProps } from './detail/RelationCard.tsx';
import type { FormPageProps } from './form/FormPage.tsx';

/*
 * The pages of a resource share one file. Forms and relations are half of the code of a page, so
 * lists do not load them.
 */
const Form = lazyComponent(
  () => import('./form/FormPage.tsx').then((module) => module.FormPage),
  <Skeleton height={320} />,
);
const Relations = lazyComponent(
  () => import('./detail/RelationCard.tsx').then((module) => module.RelationCard),
  <Skeleton height={160} />,
);

/**
 * The generic form page: updates the object named by the id in the address, or creates one without
 * an id.
 */
export function FormPage<const F extends Fields, Own extends string = never>(
  props: FormPageProps<F, Own>,
) {
  return <Form {...props} />;
}

/** Lists the related objects, with a select to add some and a button to remove each. */
export function RelationCard(props: RelationCardProps) {
  return <Relations {...props} />;
}
