import type { TreeInstance } from '@headless-tree/core';
import { asset, type TreeNode } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { ApiError, api } from '../../kit/api.ts';
import { cacheKey } from '../resource/source.ts';
import type { Placement } from './dialogs/tree-actions.ts';
import {
  createNode,
  moveNode,
  placeAssets,
  removeNode,
  renameNode,
} from './dialogs/tree-actions.ts';
import { createNodeLoader, type NodeData, TREE_ROOT } from './node-data.ts';
import { useFreshTree } from './useFreshTree.ts';

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
    await client.invalidateQueries({ queryKey: cacheKey(asset) });
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
