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

/** What a list says that has nothing yet; most lists never need it. */
export function EmptyList({ source, title, hint, action }: Props) {
  const { screens } = useSession();
  return <EmptyState title={title ?? emptyTitleOf(source, screens)} hint={hint} action={action} />;
}
