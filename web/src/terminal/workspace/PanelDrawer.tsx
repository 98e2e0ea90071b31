import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { words } from '../words.ts';
import styles from './Workspace.module.css';

/** The asset panel on a narrow window: over the page, until an asset is chosen. */
export function PanelDrawer({
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
      title={t(words.myAssets)}
      size="86%"
      closeButtonProps={{ 'aria-label': t(common.close) }}
      classNames={{ body: styles.drawerBody, content: styles.drawer }}
    >
      {children}
    </Drawer>
  );
}
