import {
  asyncDataLoaderFeature,
  dragAndDropFeature,
  hotkeysCoreFeature,
  type ItemInstance,
  renamingFeature,
  type TreeInstance,
} from '@headless-tree/core';
import { useTree } from '@headless-tree/react';
import { ActionIcon, Loader, Text, TextInput } from '@mantine/core';
import { useMergedRef } from '@mantine/hooks';
import {
  type DragEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type Ref,
  useEffect,
  useRef,
  useState,
} from 'react';
import { formatNumber } from '../../kit/format.ts';
import { common, t } from '../../kit/i18n/index.ts';
import {
  IconChevronDown,
  IconChevronRight,
  IconDots,
  IconFolder,
  IconFolderOpen,
} from '../../kit/icons.ts';
import { useRowsInSight } from '../../kit/useRowsInSight.ts';
import { DRAGGED_ROWS } from '../resource/list/dragged-rows.ts';
import styles from './NodeTree.module.css';
import { LOADING_NODE, type NodeData, type NodeLoader, TREE_ROOT } from './node-data.ts';
import { words } from './words.ts';

const ROW_HEIGHT = 32;
const INDENT = 16;

export interface MenuPoint {
  readonly node: NodeData;
  readonly x: number;
  readonly y: number;
}

/** Rows of a list dropped on a node. */
export interface RowDrop {
  readonly node: NodeData;
  readonly ids: readonly string[];
  readonly x: number;
  readonly y: number;
  /** Intent by the held key: Ctrl adds, Shift moves. */
  readonly wish: 'add' | 'replace' | undefined;
}

export interface NodeTreeProps {
  readonly loader: NodeLoader;
  readonly selected: string | undefined;
  readonly onSelect: (node: NodeData) => void;
  /** Opens the node menu at a point. Absent: the tree is read-only. */
  readonly onMenu?: (point: MenuPoint) => void;
  readonly onRename?: (node: NodeData, value: string) => void;
  readonly onMove?: (node: NodeData, target: NodeData) => void;
  /** Accepts rows dragged from a list. Absent: the tree is no drop target. */
  readonly onDropRows?: (drop: RowDrop) => void;
  /** Ids of the selected nodes; if given, each node has a checkbox. */
  readonly chosen?: ReadonlySet<string>;
  /**
   * Receives the tree instance, to refresh or to start renaming. The returned function runs on
   * unmount.
   */
  readonly onReady?: (tree: TreeInstance<NodeData>) => (() => void) | undefined;
  /** Renders the icon of an asset; returns undefined for nodes. */
  readonly drawLeaf?: ((node: NodeData) => ReactNode) | undefined;
  /** Hidden, with its state kept. */
  readonly isHidden?: boolean;
}

/** A lazy, virtualized tree of nodes with full keyboard support. */
export function NodeTree({
  loader,
  selected,
  onSelect,
  onMenu,
  onRename,
  onMove,
  onDropRows,
  chosen,
  onReady,
  drawLeaf,
  isHidden = false,
}: NodeTreeProps) {
  const dropped = useRef<DragEvent>(undefined);
  const scroller = useRef<HTMLDivElement>(null);
  const [expanded, setExpanded] = useState<string[]>([]);
  const [loaded, setLoaded] = useState(false);
  const tree = useTree<NodeData>({
    rootItemId: TREE_ROOT,
    getItemName: (item) => item.getItemData()?.value ?? '',
    isItemFolder: (item) => item.getId() === TREE_ROOT || (item.getItemData()?.isParent ?? false),
    dataLoader: loader,
    createLoadingItemData: () => LOADING_NODE,
    state: { expandedItems: expanded },
    setExpandedItems: setExpanded,
    // Open the root of an organization, as the server says, and the ancestors of matches.
    onLoadedChildren: (id, ids) => {
      if (id === TREE_ROOT) setLoaded(true);
      setExpanded((old) => [...new Set([...old, ...ids.filter((one) => loader.known(one)?.open)])]);
    },
    scrollToItem: (item) => sight.scrollTo(item.getItemMeta().index),
    indent: INDENT,
    canReorder: false,
    canRename: (item) => onRename !== undefined && !item.getItemData().fixed,
    onRename: (item, value) => onRename?.(item.getItemData(), value),
    canDrag: (items) => onMove !== undefined && items.every((item) => !item.getItemData().fixed),
    canDrop: (items, target) =>
      target.item.getId() !== TREE_ROOT &&
      !items.some((item) => item.getParent()?.getId() === target.item.getId()),
    onDrop: (items, target) => {
      for (const item of items) onMove?.(item.getItemData(), target.item.getItemData());
    },
    canDragForeignDragObjectOver: ({ types }) =>
      onDropRows !== undefined && types.includes(DRAGGED_ROWS),
    canDropForeignDragObject: ({ types }, { item }) =>
      types.includes(DRAGGED_ROWS) && item.getId() !== TREE_ROOT,
    onDropForeignDragObject: (data, target) => {
      const {
        clientX: x = 0,
        clientY: y = 0,
        ctrlKey = false,
        metaKey = false,
        shiftKey = false,
      } = dropped.current ?? {};
      const wish = ctrlKey || metaKey ? 'add' : shiftKey ? 'replace' : undefined;
      onDropRows?.({
        node: target.item.getItemData(),
        ids: JSON.parse(data.getData(DRAGGED_ROWS)) as string[],
        x,
        y,
        wish,
      });
    },
    features: [asyncDataLoaderFeature, hotkeysCoreFeature, renamingFeature, dragAndDropFeature],
  });
  const items = tree.getItems();
  const sight = useRowsInSight(scroller, items.length, ROW_HEIGHT);
  // The tree listens for keys on its container, and the virtualizer measures it: both need the
  // element.
  const container: { readonly ref?: Ref<HTMLDivElement> } = tree.getContainerProps(t(words.tree));
  const registered = useMergedRef(container.ref ?? null, scroller);
  useEffect(() => onReady?.(tree), [onReady, tree]);

  function openMenu(event: MouseEvent, item: ItemInstance<NodeData>) {
    if (!onMenu) return;
    event.preventDefault();
    event.stopPropagation();
    // The menu key sends an event without coordinates: use the row's position.
    const box = event.currentTarget.getBoundingClientRect();
    const byKeyboard = event.clientX === 0 && event.clientY === 0;
    onMenu({
      node: item.getItemData(),
      x: byKeyboard ? box.left + 24 : event.clientX,
      y: byKeyboard ? box.bottom : event.clientY,
    });
  }

  function onKeyDown(event: KeyboardEvent, item: ItemInstance<NodeData>) {
    if (item.isRenaming() || event.target !== event.currentTarget) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onSelect(item.getItemData());
    }
  }

  return (
    <div
      {...container}
      className={styles.tree}
      ref={registered}
      style={isHidden ? { display: 'none' } : {}}
      {...(chosen && { 'aria-multiselectable': true })}
      onDropCapture={(event) => {
        dropped.current = event;
      }}
    >
      {items.length === 0 &&
        (loaded ? (
          <Text component="div" c="dimmed" fz="sm" m="md">
            {t(common.none)}
          </Text>
        ) : (
          <Loader size="sm" m="md" />
        ))}
      <div role="presentation" style={{ height: sight.total, position: 'relative' }}>
        {items.slice(sight.first, sight.last + 1).map((item, offset) => {
          const node = item.getItemData();
          const isOpen = item.isExpanded();
          const Icon = isOpen ? IconFolderOpen : IconFolder;
          const Chevron = isOpen ? IconChevronDown : IconChevronRight;
          return (
            // biome-ignore lint/a11y/useFocusableInteractive: the tree sets tabIndex, so that one row at a time is in the tab order
            <div
              {...item.getProps()}
              role="treeitem"
              key={item.getId()}
              className={`${styles.row} ${selected === item.getId() ? styles.selected : ''} ${item.isDragTarget() ? styles.target : ''}`}
              style={{
                transform: `translateY(${(sight.first + offset) * ROW_HEIGHT}px)`,
                paddingLeft: item.getItemMeta().level * INDENT,
              }}
              aria-selected={chosen?.has(item.getId()) ?? selected === item.getId()}
              onClick={() => {
                item.setFocused();
                if (!item.isRenaming()) onSelect(node);
              }}
              // Keys act on the focused row, even if it got the focus without a click.
              onFocus={() => {
                if (!item.isFocused()) item.setFocused();
              }}
              onKeyDown={(event: KeyboardEvent) => onKeyDown(event, item)}
              onContextMenu={(event: MouseEvent) => openMenu(event, item)}
              title={node.value}
            >
              {item.isFolder() ? (
                <ActionIcon
                  size="xs"
                  variant="transparent"
                  color="gray"
                  tabIndex={-1}
                  loading={item.isLoading()}
                  aria-label={t(isOpen ? words.collapse : words.expand, { name: node.value })}
                  onClick={(event) => {
                    event.stopPropagation();
                    if (isOpen) item.collapse();
                    else item.expand();
                  }}
                >
                  <Chevron size={14} />
                </ActionIcon>
              ) : (
                <span style={{ width: 18 }} />
              )}
              {chosen && (
                <input
                  type="checkbox"
                  tabIndex={-1}
                  aria-hidden="true"
                  checked={chosen.has(item.getId())}
                  readOnly
                />
              )}
              {drawLeaf?.(node) ?? <Icon size={16} aria-hidden="true" style={{ flex: 'none' }} />}
              {item.isRenaming() ? (
                <TextInput
                  {...item.getRenameInputProps()}
                  size="xs"
                  flex={1}
                  maxLength={128}
                  aria-label={t(words.newName)}
                  onClick={(event: MouseEvent) => event.stopPropagation()}
                />
              ) : (
                <>
                  <span className={styles.name}>{node.value}</span>{' '}
                  {!node.asset && (
                    <span className={`${styles.count} mono`}>({formatNumber(node.amount)})</span>
                  )}
                  {onMenu && (
                    <ActionIcon
                      className={styles.more}
                      size="sm"
                      variant="subtle"
                      color="gray"
                      tabIndex={-1}
                      aria-label={t(words.menuOf, { name: node.value })}
                      onClick={(event) => openMenu(event, item)}
                    >
                      <IconDots size={14} />
                    </ActionIcon>
                  )}
                </>
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
