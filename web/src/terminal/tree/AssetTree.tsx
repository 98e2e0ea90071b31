import { asyncDataLoaderFeature, hotkeysCoreFeature, type ItemInstance } from '@headless-tree/core';
import { useTree } from '@headless-tree/react';
import { Loader } from '@mantine/core';
import type { TreeNode } from '@sallyport/contract';
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef } from 'react';
import { t } from '../../kit/i18n/index.ts';
import { useRowsInSight } from '../../kit/useRowsInSight.ts';
import {
  IconAlertTriangle,
  IconChevronRight,
  IconFolder,
  IconFolderOpen,
  IconStarFilled,
} from '../icons.ts';
import { words } from '../words.ts';
import { AssetLabel, StarButton } from './AssetRow.tsx';
import styles from './AssetTree.module.css';
import { loadBranch } from './load-branch.ts';
import {
  byParent,
  FAVORITES_KEY,
  type GrantedLeaf,
  placeRows,
  ROOT_ID,
  type TreeRow,
} from './tree-rows.ts';
import type { Favorites } from './useFavorites.ts';

const ROW_HEIGHT = 30;
const INDENT = 14;
const LOADING: TreeRow = { kind: 'loading', id: 'loading', name: '' };

interface Props {
  /** The first response: the roots with their children. */
  readonly first: readonly TreeNode[];
  readonly favorites: Favorites;
  readonly favoritesVersion: number;
  readonly onConnect: (asset: GrantedLeaf) => void;
  readonly onMenu: (asset: GrantedLeaf, x: number, y: number) => void;
}

function NodeIcon({
  row,
  expanded,
}: {
  readonly row: Extract<TreeRow, { kind: 'node' }>;
  readonly expanded: boolean;
}) {
  const Icon = row.key === FAVORITES_KEY ? IconStarFilled : expanded ? IconFolderOpen : IconFolder;
  return (
    <Icon
      size={16}
      className={styles.icon}
      data-favorites={row.key === FAVORITES_KEY || undefined}
      aria-hidden="true"
    />
  );
}

/** Returns the number of assets below a node. The page itself counts the favorites. */
function countOf(row: Extract<TreeRow, { kind: 'node' }>, favorites: Favorites): number {
  return row.key === FAVORITES_KEY ? favorites.count : row.count;
}

/** Returns the accessible name of a row: its whole text. */
function spoken(row: TreeRow, favorites: Favorites): string {
  if (row.kind === 'asset') return `${row.name} ${row.asset.ip}`;
  return row.kind === 'node'
    ? `${row.name} ${countOf(row, favorites)}`
    : row.name || t(words.loadingChildren);
}

interface GrantedTreeOptions extends Pick<Props, 'first' | 'favoritesVersion' | 'onConnect'> {
  /** Receives the position of the row that the keys moved to. */
  readonly onFocus: (index: number) => void;
}

/** The tree of the granted rows: the first response, and branches that are loaded when opened. */
function useGrantedTree({ first, favoritesVersion, onConnect, onFocus }: GrantedTreeOptions) {
  const prepared = useMemo(() => byParent(placeRows(first, ROOT_ID)), [first]);
  const expandedItems = useMemo(
    () =>
      (prepared.get(ROOT_ID) ?? [])
        .filter((row) => row.kind === 'node' && row.open)
        .map(({ id }) => id),
    [prepared],
  );
  // The first answer is used once; a refresh requests the branch again.
  const unused = useRef(prepared);

  const tree = useTree<TreeRow>({
    rootItemId: ROOT_ID,
    initialState: { expandedItems },
    getItemName: (item) => item.getItemData().name,
    isItemFolder: (item) =>
      item.getItemData().kind === 'node' || item.getItemData().kind === 'root',
    createLoadingItemData: () => LOADING,
    dataLoader: {
      getItem: () => ({ kind: 'root', id: ROOT_ID, name: '' }),
      getChildrenWithData: async (id) => {
        const ready = unused.current.get(id);
        // React's strict mode requests the roots twice.
        if (id !== ROOT_ID) unused.current.delete(id);
        const rows = ready ?? (id === ROOT_ID ? [] : await loadBranch(id));
        return rows.map((row) => ({ id: row.id, data: row }));
      },
    },
    onPrimaryAction: (item) => act(item),
    hotkeys: {
      customOpen: {
        hotkey: 'Enter',
        handler: (_event, instance) => instance.getFocusedItem().primaryAction(),
      },
    },
    scrollToItem: (item) => onFocus(item.getItemMeta().index),
    features: [asyncDataLoaderFeature, hotkeysCoreFeature],
  });

  function act(item: ItemInstance<TreeRow>): void {
    const row = item.getItemData();
    if (row.kind === 'asset' && row.asset.usable) onConnect(row.asset);
    else if (row.kind === 'failed') void item.getParent()?.invalidateChildrenIds();
  }

  useEffect(() => {
    if (favoritesVersion > 0)
      void tree.getItemInstance(`node:${FAVORITES_KEY}`).invalidateChildrenIds(true);
  }, [tree, favoritesVersion]);
  return tree;
}

function RowContent({
  item,
  favorites,
}: {
  readonly item: ItemInstance<TreeRow>;
  readonly favorites: Favorites;
}) {
  const row = item.getItemData();
  return row.kind === 'node' ? (
    <>
      <span className={styles.twisty} data-open={item.isExpanded() || undefined} aria-hidden="true">
        {item.isLoading() ? <Loader size={12} /> : <IconChevronRight size={14} />}
      </span>
      <NodeIcon row={row} expanded={item.isExpanded()} />
      <span className={styles.name}>{row.name}</span>{' '}
      <span className={styles.count}>{countOf(row, favorites)}</span>
    </>
  ) : row.kind === 'asset' ? (
    <>
      <AssetLabel asset={row.asset} />
      <StarButton
        favorite={favorites.has(row.asset.id)}
        onToggle={() => favorites.toggle(row.asset.id)}
      />
    </>
  ) : row.kind === 'failed' ? (
    <>
      <IconAlertTriangle size={15} className={styles.icon} aria-hidden="true" />
      <span className={styles.name}>{row.name}</span>
    </>
  ) : (
    <span className={styles.loadingRow} aria-hidden="true" />
  );
}

/** The granted tree. Loads branches when the user opens them, and draws only visible rows. */
export function AssetTree({ first, favorites, favoritesVersion, onConnect, onMenu }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const tree = useGrantedTree({
    first,
    favoritesVersion,
    onConnect,
    onFocus: (index) => sight.scrollTo(index),
  });
  const items = tree.getItems();
  const sight = useRowsInSight(scroller, items.length, ROW_HEIGHT);

  const openMenu = (event: MouseEvent | KeyboardEvent, row: TreeRow) => {
    if (row.kind !== 'asset') return;
    event.preventDefault();
    const { left, bottom } = event.currentTarget.getBoundingClientRect();
    const { clientX = 0, clientY = 0 } = 'clientX' in event ? event : {};
    onMenu(row.asset, clientX || left + 24, clientY || bottom);
  };

  return (
    <div ref={scroller} className={styles.scroller}>
      <div
        {...tree.getContainerProps(t(words.myAssets))}
        className={styles.tree}
        style={{ height: sight.total }}
      >
        {items.slice(sight.first, sight.last + 1).map((item, offset) => {
          const row = item.getItemData();
          const { key, ...props } = { key: item.getKey(), ...item.getProps() };
          const unusable = row.kind === 'asset' && !row.asset.usable;
          return (
            <div
              key={key}
              {...props}
              role="treeitem"
              tabIndex={item.isFocused() ? 0 : -1}
              aria-label={spoken(row, favorites)}
              className={styles.row}
              data-kind={row.kind}
              aria-disabled={unusable || undefined}
              title={unusable ? t(words.noSsh) : undefined}
              style={{
                top: (sight.first + offset) * ROW_HEIGHT,
                height: ROW_HEIGHT,
                paddingLeft: 8 + item.getItemMeta().level * INDENT,
              }}
              onContextMenu={(event) => openMenu(event, row)}
            >
              <RowContent item={item} favorites={favorites} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
