import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconInbox } from '../../../kit/icons.ts';
import { useSession } from '../../base/session.tsx';
import type { Source } from '../source.ts';
import { emptyTitleOf } from './empty-title.ts';
import styles from './List.module.css';

/** Empty state with a reason and a next step. */
export function EmptyState({
  title,
  hint,
  action,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className={styles.state}>
      <IconInbox size={36} stroke={1.2} aria-hidden="true" />
      <Title order={2}>{title}</Title>
      {hint && (
        <Text c="dimmed" maw={420}>
          {hint}
        </Text>
      )}
      {action}
    </div>
  );
}

interface Props {
  readonly source: Source;
  readonly title: string | undefined;
  readonly hint: ReactNode;
  readonly action: ReactNode;
}

/** The empty state of a list without rows. */
export function EmptyList({ source, title, hint, action }: Props) {
  const { screens } = useSession();
  return <EmptyState title={title ?? emptyTitleOf(source, screens)} hint={hint} action={action} />;
}
