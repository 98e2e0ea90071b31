import type { TreeNode } from '@sallyport/contract';
import { type NodeData, toData } from './node-data.ts';

/**
 * Converts an answer to nodes and assets of the tree. An asset appears once below each of its
 * nodes.
 */
export function withAssets(node: TreeNode): NodeData[] {
  if (node.meta.type !== 'asset') return toData(node);
  const { id: asset, hostname: value, reachability = 2 } = node.meta.asset;
  const place = `${node.pId}:${asset}`;
  return [
    {
      id: place,
      key: place,
      value,
      amount: 0,
      isParent: false,
      open: false,
      fixed: true,
      asset,
      reachability,
    },
  ];
}
