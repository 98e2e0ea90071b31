import type { ReactNode } from 'react';
import { useSession } from '../../base/session.tsx';
import type { Source } from '../source.ts';
import { EmptyState } from './EmptyState.tsx';
import { emptyTitleOf } from './empty-title.ts';

interface Props {
  readonly source: Source;
  readonly title: string | undefined;
  readonly hint: ReactNode;
  readonly action: ReactNode;
}

/** The empty state of a list without rows. Loaded lazily, because most lists have rows. */
export function EmptyList({ source, title, hint, action }: Props) {
  const { screens } = useSession();
  return <EmptyState title={title ?? emptyTitleOf(source, screens)} hint={hint} action={action} />;
}
