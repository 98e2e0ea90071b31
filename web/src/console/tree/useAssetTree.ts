import type { TreeInstance } from '@headless-tree/core';
import { asset, type TreeNode } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { ApiError, api } from '../../kit/api.ts';
import { cacheKey } from '../resource/source.ts';
import type { Placement } from './dialogs/tree-actions.ts';
import { createNodeLoader, type NodeData, TREE_ROOT } from './node-data.ts';
import { useFreshTree } from './useFreshTree.ts';

const LEVEL = 'assets/nodes/children/tree/';
const loadActions = () => import('./dialogs/tree-actions.ts');

type ReadNode = (node: TreeNode) => NodeData[];

/** Finds nodes of the asset tree by words of their paths. */
export const findNodes = (search: string) =>
  api.get<readonly TreeNode[]>(LEVEL, { query: { search } });

/** Reads the asset tree level by level. */
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

/** The tree of nodes as administrators see it, with what they can do to it. `read`: reads the assets as well, as its leaves. */
export function useAssetTree(read?: ReadNode) {
  const client = useQueryClient();
  /** The whole tree, and the part in which something was found: the last one is the one in sight. */
  const trees = useRef<TreeInstance<NodeData>[]>([]);
  const loader = useNodeLoader(read);

  /** Reads the open nodes again. */
  const readAgain = useCallback(async () => {
    for (const tree of trees.current) {
      for (const id of [TREE_ROOT, ...tree.getState().expandedItems]) {
        try {
          await tree.getItemInstance(id).invalidateChildrenIds(true);
        } catch (error) {
          // A node that is gone has no children to read; the request layer showed any other failure.
          if (!(error instanceof ApiError)) throw error;
        }
      }
    }
  }, []);
  const isRefreshing = useFreshTree(readAgain);

  /** Reads again what is open and the list beside it: a change moves the counts of all nodes above it. */
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
    create: (parent: NodeData) =>
      loadActions().then(({ createNode }) => createNode(acting(), parent)),
    rename: (target: NodeData, value: string) =>
      loadActions().then(({ renameNode }) => renameNode(acting(), target, value)),
    remove: (target: NodeData) =>
      void loadActions().then(({ removeNode }) => removeNode(acting(), target)),
    move: (source: NodeData, target: NodeData) =>
      void loadActions().then(({ moveNode }) => moveNode(acting(), source, target)),
    placeAssets: (
      target: Pick<NodeData, 'id' | 'value'>,
      assets: readonly string[],
      placement: Placement,
    ) => loadActions().then(({ placeAssets }) => placeAssets(acting(), target, assets, placement)),
  };
}

export type AssetTree = ReturnType<typeof useAssetTree>;
