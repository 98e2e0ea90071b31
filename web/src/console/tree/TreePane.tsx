import { ActionIcon, Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type CSSProperties, type ReactNode, useEffect, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import {
  IconChevronDown,
  IconFolder,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconRefresh,
} from '../../kit/icons.ts';
import { lazyComponent } from '../../kit/lazy-component.tsx';
import { ToolButton } from '../../kit/page/ToolButton.tsx';
import { type EdgeLimits, ResizeEdge } from '../../kit/ResizeEdge.tsx';
import styles from './NodeTree.module.css';
import { words } from './words.ts';

const TreeDrawer = lazyComponent(() =>
  import('./TreeDrawer.tsx').then((module) => module.TreeDrawer),
);

interface TreePaneProps {
  readonly tree: ReactNode;
  /** The chosen node. The sheet of a narrow screen closes when it changes. */
  readonly chosen?: string | undefined;
  /** The name of the chosen node, if known. */
  readonly chosenName?: string | undefined;
  readonly onRefresh: () => void;
  readonly children: ReactNode;
}

const WIDTHS: EdgeLimits = { smallest: 200, usual: 240, largest: 720 };
const STORAGE_KEY = 'sallyport-tree-width';

interface HeadProps {
  readonly onRefresh: () => void;
  /** Absent in a sheet, which has its own close button. */
  readonly onHide?: () => void;
}

function PaneHead({ onRefresh, onHide }: HeadProps) {
  return (
    <div className={styles.paneHead}>
      <span>{onHide && t(words.tree)}</span>
      <span>
        <ToolButton
          label={`${t(common.refresh)} ${t(words.tree)}`}
          tip={t(common.refresh)}
          size="sm"
          onClick={onRefresh}
        >
          <IconRefresh size={14} />
        </ToolButton>
        {onHide && (
          <ToolButton label={t(words.hideTree)} size="sm" onClick={onHide}>
            <IconLayoutSidebarLeftCollapse size={14} />
          </ToolButton>
        )}
      </span>
    </div>
  );
}

/** A button that opens the tree as a sheet over the page. */
function TreeSheet({
  tree,
  chosen,
  chosenName,
  onRefresh,
}: Pick<TreePaneProps, 'tree' | 'chosen' | 'chosenName' | 'onRefresh'>) {
  const [open, setOpen] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the sheet closes after each choice
  useEffect(() => setOpen(false), [chosen]);
  const label = chosenName
    ? t(words.node, { name: chosenName })
    : t(chosen ? words.oneNode : words.allNodes);
  return (
    <>
      <Button
        variant="default"
        size="sm"
        mb={8}
        fullWidth
        justify="space-between"
        aria-haspopup="dialog"
        leftSection={<IconFolder size={16} />}
        rightSection={<IconChevronDown size={16} />}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <TreeDrawer opened={open} onClose={() => setOpen(false)}>
        <PaneHead onRefresh={onRefresh} />
        {tree}
      </TreeDrawer>
    </>
  );
}

/**
 * A tree on the left and its selection on the right. The tree can be hidden and resized. On a
 * narrow screen it is a sheet.
 */
export function TreePane({ tree, chosen, chosenName, onRefresh, children }: TreePaneProps) {
  const [open, setOpen] = useState(true);
  const [width, setWidth] = useState(Number(localStorage.getItem(STORAGE_KEY)) || undefined);
  const isNarrow = useMediaQuery('(max-width: 62em)', false, { getInitialValueInEffect: false });
  const isPane = open && !isNarrow;
  function resize(wanted: number | undefined) {
    setWidth(wanted);
    localStorage.setItem(STORAGE_KEY, String(wanted ?? ''));
  }
  return (
    <div
      className={`${styles.layout} ${isPane ? '' : styles.alone}`}
      {...(width && { style: { '--tree-width': `${width}px` } as CSSProperties })}
    >
      {isPane && (
        <div className={styles.pane}>
          <PaneHead onRefresh={onRefresh} onHide={() => setOpen(false)} />
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
        {isNarrow && (
          <TreeSheet tree={tree} chosen={chosen} chosenName={chosenName} onRefresh={onRefresh} />
        )}
        {!open && !isNarrow && (
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
