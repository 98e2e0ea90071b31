import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { Reference } from '../references.ts';

// Its select is heavy, and only pages of one object need it.
const RelationCardBody = lazy(() => import('./RelationCardBody.tsx').then((module) => ({ default: module.RelationCardBody })));

export interface RelationCardProps {
  readonly title: string;
  readonly reference: Reference;
  /** The ids that are related now. */
  readonly value: readonly string[];
  /** Stores the whole new set. */
  readonly onChange: (value: readonly string[]) => Promise<unknown>;
  /** At least so many must stay. */
  readonly min?: number;
}

/** What an object is related to: add some with a select, remove each with its minus. Ten are shown, more on demand. */
export function RelationCard(props: RelationCardProps) {
  return (
    <Suspense fallback={<Skeleton height={160} />}>
      <RelationCardBody {...props} />
    </Suspense>
  );
}
