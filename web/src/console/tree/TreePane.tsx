import { ActionIcon, Tooltip } from '@mantine/core';
import { type CSSProperties, type ReactNode, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import {
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconRefresh,
} from '../../kit/icons.ts';
import { type EdgeLimits, ResizeEdge } from '../../kit/ResizeEdge.tsx';
import styles from './NodeTree.module.css';
import { words } from './words.ts';

interface TreePaneProps {
  readonly tree: ReactNode;
  readonly onRefresh: () => void;
  readonly children: ReactNode;
}

const WIDTHS: EdgeLimits = { smallest: 200, usual: 240, largest: 720 };
const STORAGE_KEY = 'sallyport-tree-width';

/** A tree on the left and its selection on the right. The tree can be hidden and resized. */
export function TreePane({ tree, onRefresh, children }: TreePaneProps) {
  const [open, setOpen] = useState(true);
  const [width, setWidth] = useState(Number(localStorage.getItem(STORAGE_KEY)) || undefined);
  function resize(wanted: number | undefined) {
    setWidth(wanted);
    localStorage.setItem(STORAGE_KEY, String(wanted ?? ''));
  }
  return (
    <div
      className={`${styles.layout} ${open ? '' : styles.alone}`}
      {...(width && { style: { '--tree-width': `${width}px` } as CSSProperties })}
    >
      {open && (
        <div className={styles.pane}>
          <div className={styles.paneHead}>
            <span>{t(words.tree)}</span>
            <span>
              <Tooltip label={t(common.refresh)}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  onClick={onRefresh}
                  aria-label={`${t(common.refresh)} ${t(words.tree)}`}
                >
                  <IconRefresh size={14} />
                </ActionIcon>
              </Tooltip>
              <Tooltip label={t(words.hideTree)}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  onClick={() => setOpen(false)}
                  aria-label={t(words.hideTree)}
                >
                  <IconLayoutSidebarLeftCollapse size={14} />
                </ActionIcon>
              </Tooltip>
            </span>
          </div>
          <div className={styles.paneBody}>{tree}</div>
          <ResizeEdge
            label={t(words.width)}
            width={width}
            limits={WIDTHS}
            onWidth={resize}
            reach={20}
          />
        </div>
      )}
      <div style={{ minWidth: 0 }}>
        {!open && (
          <ActionIcon
            variant="default"
            mb={8}
            onClick={() => setOpen(true)}
            aria-label={t(words.showTree)}
          >
            <IconLayoutSidebarLeftExpand size={16} />
          </ActionIcon>
        )}
        {children}
      </div>
    </div>
  );
}
