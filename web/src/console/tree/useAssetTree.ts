import type { TreeInstance } from '@headless-tree/core';
import type { Row, TreeNode } from '@sallyport/contract';
import { asset, type node } from '@sallyport/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useMemo, useRef } from 'react';
import { ApiError, api } from '../../kit/api.ts';
import { askFirst, askToDelete } from '../../kit/confirm.ts';
import { common, t } from '../../kit/i18n/index.ts';
import { toast } from '../../kit/toast.tsx';
import { cacheKey } from '../resource/source.ts';
import { createNodeLoader, type NodeData, TREE_ROOT } from './node-data.ts';
import { useFreshTree } from './useFreshTree.ts';
import { words } from './words.ts';

const NODES = 'assets/nodes/';

/** The tree of assets as administrators see it, with what they can do to it. */
export function useAssetTree() {
  const client = useQueryClient();
  const tree = useRef<TreeInstance<NodeData>>(undefined);
  const loader = useMemo(() => createNodeLoader((key) => api.get<readonly TreeNode[]>(`${NODES}children/tree/`, { query: { key, assets: 0 } })), []);

  /** Reads the open nodes again. */
  const readAgain = useCallback(async () => {
    const open = tree.current?.getState().expandedItems ?? [];
    for (const id of [TREE_ROOT, ...open]) {
      try {
        await tree.current?.getItemInstance(id).invalidateChildrenIds(true);
      } catch (error) {
        // A node that is gone has no children to read; the request layer showed any other failure.
        if (!(error instanceof ApiError)) throw error;
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

  return {
    loader,
    refresh,
    ready: (instance: TreeInstance<NodeData>) => {
      tree.current = instance;
    },
    startRenaming: (node: NodeData) => tree.current?.getItemInstance(node.id).startRenaming(),
    async create(parent: NodeData) {
      const created = await api.post<Row<typeof node>>(`${NODES}${parent.id}/children/`, {});
      tree.current?.getItemInstance(parent.id).expand();
      await refresh();
      tree.current?.getItemInstance(created.id).startRenaming();
    },
    async rename(target: NodeData, value: string) {
      const name = value.trim();
      if (!name || name === target.value) return;
      try {
        await api.patch(`${NODES}${target.id}/`, { value: name });
        toast.success(t(common.updateSuccess));
      } finally {
        await refresh();
      }
    },
    remove: (target: NodeData) =>
      askToDelete(
        target.value,
        async () => {
          await api.delete(`${NODES}${target.id}/`, { quiet: true });
          await refresh();
        },
        { action: 'delete', resource: 'node', ids: [target.id] },
      ),
    move: (source: NodeData, target: NodeData) =>
      askFirst({
        message: t(words.move, { source: source.value, target: target.value }),
        consequences: { action: 'move', resource: 'node', ids: [source.id], target: target.id },
        run: async () => {
          await api.put(`${NODES}${target.id}/children/add/`, { nodes: [source.id] }, { quiet: true });
          await refresh();
        },
        success: t(common.updateSuccess),
      }),
    async placeAssets(target: NodeData, assets: readonly string[], placement: 'add' | 'replace' | 'remove') {
      await api.put(`${NODES}${target.id}/assets/${placement}/`, { assets });
      toast.success(t(common.updateSuccess));
      await refresh();
    },
  };
}
