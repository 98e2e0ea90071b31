import type { TreeNode } from '@sallyport/contract';
import { ApiError } from '../../kit/api.ts';

export interface NodeData {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly amount: number;
  readonly isParent: boolean;
  readonly open: boolean;
  /** A root or a special node such as favorites: cannot be renamed or moved. */
  readonly fixed: boolean;
  /** Asset id of a leaf. */
  readonly asset?: string;
  /** Last connection test: 0 failed, 1 succeeded, 2 unknown. */
  readonly reachability?: 0 | 1 | 2;
}

export const TREE_ROOT = 'root';

const NOTHING: NodeData = {
  id: TREE_ROOT,
  key: '',
  value: '',
  amount: 0,
  isParent: true,
  open: true,
  fixed: true,
};

/**
 * Loads one level of a tree: the children of a key; without a key, the roots and their children.
 */
export type LoadNodes = (key?: string) => Promise<readonly TreeNode[]>;

/** Converts a node of an answer to nodes of the tree. */
export function toData(node: TreeNode): NodeData[] {
  if (node.meta.type !== 'node') return [];
  const { id, key, value, assets_amount: amount } = node.meta.node;
  return [
    { id, key, value, amount, isParent: node.isParent, open: node.open, fixed: !key.includes(':') },
  ];
}

/** The key of the parent; '' for a root. */
export const parentKey = (key: string) =>
  key.includes(':') ? key.slice(0, key.lastIndexOf(':')) : '';

/**
 * Creates the data loader of a lazy tree. Children in the first answer are cached, not requested
 * again. `read` converts answers to tree nodes.
 */
export function createNodeLoader(load: LoadNodes, read = toData) {
  const known = new Map<string, NodeData>();
  const brought = new Map<string, NodeData[]>();
  /** The last answer by key, shown while the server is unreachable. */
  const last = new Map<string, NodeData[]>();

  function remember(nodes: readonly NodeData[]): NodeData[] {
    for (const node of nodes) known.set(node.id, node);
    return [...nodes];
  }

  async function children(id: string): Promise<NodeData[]> {
    const ready = brought.get(id);
    if (ready) {
      brought.delete(id);
      return ready;
    }
    const key = id === TREE_ROOT ? undefined : known.get(id)?.key;
    const nodes = remember((await load(key)).flatMap(read));
    if (key !== undefined) return nodes.filter((node) => parentKey(node.key) === key);
    const roots = nodes.filter((node) => !nodes.some((other) => other.key === parentKey(node.key)));
    for (const root of roots) {
      const below = nodes.filter((node) => parentKey(node.key) === root.key);
      if (below.length > 0) brought.set(root.id, below);
    }
    return roots;
  }

  return {
    known: (id: string) => known.get(id),
    remember,
    getItem: async (id: string) => known.get(id) ?? NOTHING,
    getChildrenWithData: async (id: string) => {
      const nodes = await children(id).catch((error: unknown) => {
        const before = last.get(id);
        if (before) return before;
        // The tree reloads when the server is back; until then the level is empty.
        if (error instanceof ApiError && error.status === 0) return [];
        throw error;
      });
      last.set(id, nodes);
      return nodes.map((data) => ({ id: data.id, data }));
    },
  };
}

export type NodeLoader = ReturnType<typeof createNodeLoader>;

export const LOADING_NODE: NodeData = { ...NOTHING, id: '', isParent: false };

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
