import { Button, Skeleton, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { ApiError } from '../../../kit/api.ts';
import { common, t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconFilterOff } from '../../../kit/icons.ts';
import styles from './List.module.css';
import { words } from './words.ts';

/** Placeholder rows while a list loads; avoid layout shift. */
export function SkeletonRows({
  rows,
  columns,
}: {
  readonly rows: number;
  readonly columns: number;
}) {
  const cells = Array.from({ length: columns }, (_, index) => index);
  return Array.from({ length: rows }, (_, row) => row).map((row) => (
    <tr key={row}>
      {cells.map((cell) => (
        <td key={cell}>
          <Skeleton height={12} width={cell === 0 ? 16 : `${45 + ((row * 7 + cell * 13) % 40)}%`} />
        </td>
      ))}
    </tr>
  ));
}

/** Empty state of a list whose filters match no row. */
export function NothingFound({
  title = t(words.nothingFound),
  hint,
  onClear,
}: {
  readonly title?: string | undefined;
  readonly hint?: ReactNode;
  readonly onClear: () => void;
}) {
  return (
    <div className={styles.state}>
      <IconFilterOff size={36} stroke={1.2} aria-hidden="true" />
      <Title order={2}>{title}</Title>
      <Text c="dimmed">
        {t(words.nothingFoundHint)}
        {hint}
      </Text>
      <Button variant="default" onClick={onClear}>
        {t(words.clearFilters)}
      </Button>
    </div>
  );
}

/** Error state with the reason, and a retry button unless the role of the user is the reason. */
export function LoadFailed({
  error,
  onRetry,
}: {
  readonly error: Error | null;
  readonly onRetry: () => void;
}) {
  return (
    <div className={styles.state} role="alert">
      <IconAlertTriangle size={36} stroke={1.2} aria-hidden="true" />
      <Title order={2}>{t(words.failed)}</Title>
      <Text c="dimmed">{error?.message}</Text>
      {!(error instanceof ApiError && error.code === 'permission_denied') && (
        <Button variant="default" onClick={onRetry}>
          {t(common.retry)}
        </Button>
      )}
    </div>
  );
}
