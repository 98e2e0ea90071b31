import type { TreeInstance } from '@headless-tree/core';
import type { TreeNode } from '@sallyport/contract';
import { hashKey, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useCallback, useEffect, useMemo, useRef } from 'react';
import { ApiError, api } from '../../kit/api.ts';
import { live, useConnection } from '../../kit/connection/connection.ts';
import { summaryNamed } from '../base/resources.ts';
import { cacheKey } from '../resource/source.ts';
import {
  createNode,
  moveNode,
  type Placement,
  placeAssets,
  removeNode,
  renameNode,
} from './dialogs/tree-actions.ts';
import { createNodeLoader, type NodeData, TREE_ROOT } from './node-data.ts';

/** The key of all lists of assets. */
const ASSETS = cacheKey(summaryNamed('asset'));

/** Polling interval without the live channel. */
const EVERY_MILLISECONDS = 30_000;

/** Debounce: one change makes several lists stale. */
const GATHER_MILLISECONDS = 100;

/**
 * Reloads a tree when assets change on this page, when the page becomes visible, when the server is
 * reachable again, and at an interval. While the returned ref is true, the page reloads the tree
 * itself.
 */
function useFreshTree(readAgain: () => Promise<void>): RefObject<boolean> {
  const client = useQueryClient();
  const isReading = useRef(false);
  const { lost } = useConnection();
  const wasLost = useRef(lost);
  useEffect(() => {
    if (wasLost.current && !lost) void readAgain().catch(() => undefined);
    wasLost.current = lost;
  }, [lost, readAgain]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        // Skip the reload if the page loads the tree itself. The request layer shows errors.
        if (!isReading.current && document.visibilityState === 'visible')
          void readAgain().catch(() => undefined);
      }, GATHER_MILLISECONDS);
    };
    const ofAssets = hashKey(ASSETS);
    const unsubscribe = client.getQueryCache().subscribe((event) => {
      const isStale = event.type === 'updated' && event.action.type === 'invalidate';
      if (
        isStale &&
        !isReading.current &&
        hashKey(event.query.queryKey.slice(0, ASSETS.length)) === ofAssets
      )
        soon();
    });
    const every = setInterval(() => live.isOpen || soon(), EVERY_MILLISECONDS);
    document.addEventListener('visibilitychange', soon);
    return () => {
      unsubscribe();
      clearTimeout(timer);
      clearInterval(every);
      document.removeEventListener('visibilitychange', soon);
    };
  }, [client, readAgain]);
  return isReading;
}

const LEVEL = 'assets/nodes/children/tree/';

type ReadNode = (node: TreeNode) => NodeData[];

/** Finds nodes of the asset tree by words of their paths. */
export const findNodes = (search: string) =>
  api.get<readonly TreeNode[]>(LEVEL, { query: { search } });

export function useNodeLoader(read?: ReadNode) {
  return useMemo(
    () =>
      createNodeLoader(
        (key) => api.get<readonly TreeNode[]>(LEVEL, { query: { key, assets: read ? 1 : 0 } }),
        read,
      ),
    [read],
  );
}

/** The asset tree of administrators, with its actions. `read` adds assets as leaves. */
export function useAssetTree(read?: ReadNode) {
  const client = useQueryClient();
  /** The whole tree, and the tree of search results if any; the last one is visible. */
  const trees = useRef<TreeInstance<NodeData>[]>([]);
  const loader = useNodeLoader(read);

  /** Reloads the open nodes. */
  const readAgain = useCallback(async () => {
    for (const tree of trees.current) {
      for (const id of [TREE_ROOT, ...tree.getState().expandedItems]) {
        try {
          await tree.getItemInstance(id).invalidateChildrenIds(true);
        } catch (error) {
          // A deleted node has no children; the request layer showed any other error.
          if (!(error instanceof ApiError)) throw error;
        }
      }
    }
  }, []);
  const isRefreshing = useFreshTree(readAgain);

  /** Reloads open nodes and the list next to the tree: a change affects counts of all ancestors. */
  async function refresh() {
    isRefreshing.current = true;
    try {
      await readAgain();
    } finally {
      isRefreshing.current = false;
    }
    await client.invalidateQueries({ queryKey: ASSETS });
  }
  const acting = () => ({ tree: trees.current.at(-1), refresh });

  return {
    loader,
    find: findNodes,
    refresh,
    ready: useCallback((instance: TreeInstance<NodeData>) => {
      trees.current.push(instance);
      return () => {
        trees.current = trees.current.filter((one) => one !== instance);
      };
    }, []),
    startRenaming: (node: NodeData) =>
      trees.current.at(-1)?.getItemInstance(node.id).startRenaming(),
    create: (parent: NodeData) => createNode(acting(), parent),
    rename: (target: NodeData, value: string) => renameNode(acting(), target, value),
    remove: (target: NodeData) => removeNode(acting(), target),
    move: (source: NodeData, target: NodeData) => moveNode(acting(), source, target),
    placeAssets: (
      target: Pick<NodeData, 'id' | 'value'>,
      assets: readonly string[],
      placement: Placement,
    ) => placeAssets(acting(), target, assets, placement),
  };
}

export type AssetTree = ReturnType<typeof useAssetTree>;
