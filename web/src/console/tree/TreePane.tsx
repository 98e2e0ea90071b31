import { ActionIcon, Tooltip } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconRefresh } from '../../kit/icons.ts';
import styles from './NodeTree.module.css';
import { words } from './words.ts';

interface TreePaneProps {
  readonly tree: ReactNode;
  readonly onRefresh: () => void;
  readonly children: ReactNode;
}

/** A tree at the left, what it selects at the right; the tree can be put away. */
export function TreePane({ tree, onRefresh, children }: TreePaneProps) {
  const [open, setOpen] = useState(true);
  return (
    <div className={`${styles.layout} ${open ? '' : styles.alone}`}>
      {open && (
        <div className={styles.pane}>
          <div className={styles.paneHead}>
            <span>{t(words.tree)}</span>
            <span>
              <Tooltip label={t(common.refresh)}>
                <ActionIcon variant="subtle" color="gray" size="sm" onClick={onRefresh} aria-label={`${t(common.refresh)} ${t(words.tree)}`}>
                  <IconRefresh size={14} />
                </ActionIcon>
              </Tooltip>
              <Tooltip label={t(words.hideTree)}>
                <ActionIcon variant="subtle" color="gray" size="sm" onClick={() => setOpen(false)} aria-label={t(words.hideTree)}>
                  <IconLayoutSidebarLeftCollapse size={14} />
                </ActionIcon>
              </Tooltip>
            </span>
          </div>
          <div className={styles.paneBody}>{tree}</div>
        </div>
      )}
      <div style={{ minWidth: 0 }}>
        {!open && (
          <ActionIcon variant="default" mb={8} onClick={() => setOpen(true)} aria-label={t(words.showTree)}>
            <IconLayoutSidebarLeftExpand size={16} />
          </ActionIcon>
        )}
        {children}
      </div>
    </div>
  );
}
