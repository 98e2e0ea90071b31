import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import styles from './NodeTree.module.css';
import { words } from './words.ts';

/** The asset tree on a narrow screen: a sheet over the page. */
export function TreeDrawer({
  opened,
  onClose,
  children,
}: {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="bottom"
      size="75%"
      title={t(words.tree)}
      closeButtonProps={{ 'aria-label': t(common.close) }}
    >
      <div className={styles.sheet}>{children}</div>
    </Drawer>
  );
}
