import { Button, Skeleton, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import styles from './AssetTree.module.css';
import type { GrantedLeaf } from './tree-rows.ts';
import type { Favorites } from './useFavorites.ts';

export interface PartProps {
  readonly favorites: Favorites;
  readonly onConnect: (asset: GrantedLeaf) => void;
  readonly onMenu: (asset: GrantedLeaf, x: number, y: number) => void;
}

export function Waiting() {
  return (
    <Stack gap={12} p={14} role="status" aria-busy="true" aria-label={t(common.loading)}>
      {[70, 55, 62, 48, 66].map((width) => (
        <Skeleton key={width} height={14} width={`${width}%`} />
      ))}
    </Stack>
  );
}

export function Notice({
  title,
  hint,
  action,
  onAction,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly action: string;
  readonly onAction: () => void;
}) {
  return (
    <Stack align="center" gap={8} p="lg" className={styles.notice}>
      <Text fw={600} size="sm">
        {title}
      </Text>
      {hint ? (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      ) : null}
      <Button size="xs" variant="default" onClick={onAction}>
        {action}
      </Button>
    </Stack>
  );
}
