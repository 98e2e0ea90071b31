import {
  asyncDataLoaderFeature,
  dragAndDropFeature,
  type HotkeyConfig,
  hotkeysCoreFeature,
  renamingFeature,
  type TreeInstance,
} from '@headless-tree/core';
import { useTree } from '@headless-tree/react';
import { type DragEvent, type ReactNode, type RefObject, useRef, useState } from 'react';
import { isComposing } from '../../kit/composing.ts';
import { useRowsInSight } from '../../kit/useRowsInSight.ts';
import { DRAGGED_ROWS } from '../resource/list/table/dragged-rows.ts';
import { LOADING_NODE, type NodeData, type NodeLoader, TREE_ROOT } from './node-data.ts';

export const ROW_HEIGHT = 32;
export const INDENT = 16;

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

/** A key of the field for a new name, without those that an input method took. */
const renamingKey = (
  hotkey: string,
  act: (tree: TreeInstance<NodeData>) => void,
): HotkeyConfig<NodeData> => ({
  hotkey,
  allowWhenInputFocused: true,
  isEnabled: (tree) => tree.isRenamingItem(),
  handler: (event, tree) => {
    if (!isComposing(event)) act(tree);
  },
});

/** The keys of the library would end renaming during a composition, with half of the name. */
const RENAMING_KEYS = {
  completeRenaming: renamingKey('Enter', (tree) => tree.completeRenaming()),
  abortRenaming: renamingKey('Escape', (tree) => tree.abortRenaming()),
};

/** The tree of nodes, its visible rows, and whether the first nodes are loaded. */
export function useNodeTree(
  { loader, onRename, onMove, onDropRows }: NodeTreeProps,
  scroller: RefObject<HTMLDivElement | null>,
) {
  const dropped = useRef<DragEvent>(undefined);
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
    hotkeys: RENAMING_KEYS,
    features: [asyncDataLoaderFeature, hotkeysCoreFeature, renamingFeature, dragAndDropFeature],
  });
  const items = tree.getItems();
  const sight = useRowsInSight(scroller, items.length, ROW_HEIGHT);
  return {
    tree,
    items,
    sight,
    loaded,
    /** Remembers a drop, whose keys and place the tree does not report. */
    onDropCapture: (event: DragEvent) => {
      dropped.current = event;
    },
  };
}
