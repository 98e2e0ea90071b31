import { Skeleton } from '@mantine/core';
import type { Fields } from '@sallyport/contract';
import { lazy, Suspense } from 'react';
import type { RelationCardProps } from './detail/RelationCard.tsx';
import type { FormPageProps } from './form/FormPage.tsx';

/*
 * The pages of a resource are in one file. What only its form or the page of one object needs is loaded with these, so that its list does
 * not wait for it.
 */
const Form = lazy(() => import('./form/FormPage.tsx').then((module) => ({ default: module.FormPage<Fields, string> })));
const Relations = lazy(() => import('./detail/RelationCard.tsx').then((module) => ({ default: module.RelationCard })));

/** The generic page to create or change an object; with an id in the address it changes, otherwise it creates. */
export function FormPage<const F extends Fields, Own extends string = never>(props: FormPageProps<F, Own>) {
  return (
    <Suspense fallback={<Skeleton height={320} />}>
      <Form {...props} />
    </Suspense>
  );
}

/** What an object is related to: add some with a select, remove each with its minus. */
export function RelationCard(props: RelationCardProps) {
  return (
    <Suspense fallback={<Skeleton height={160} />}>
      <Relations {...props} />
    </Suspense>
  );
}
