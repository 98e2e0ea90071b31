import type { TreeNode } from '@sallyport/contract';
import { ApiError } from '../../kit/api.ts';

/** A node as the tree shows it. */
export interface NodeData {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly amount: number;
  readonly isParent: boolean;
  readonly open: boolean;
  /** A root, or one that stands for something else (favorites): it can be neither renamed nor moved. */
  readonly fixed: boolean;
  /** The id of an asset; it is a leaf of its node. */
  readonly asset?: string;
  /** Whether the asset was reached: 0 no, 1 yes, 2 unknown. */
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

/** Reads one level of a tree: the children of a key, or without one the roots together with theirs. */
export type LoadNodes = (key?: string) => Promise<readonly TreeNode[]>;

/** The nodes of an answer, as the tree shows them. */
export function toData(node: TreeNode): NodeData[] {
  if (node.meta.type !== 'node') return [];
  const { id, key, value, assets_amount: amount } = node.meta.node;
  return [
    { id, key, value, amount, isParent: node.isParent, open: node.open, fixed: !key.includes(':') },
  ];
}

/** The key of the node above; '' above a root. */
export const parentKey = (key: string) =>
  key.includes(':') ? key.slice(0, key.lastIndexOf(':')) : '';

/** Feeds a lazy tree: what the first answer brings along is not asked for again. `read`: what becomes of an answer; without it, its nodes. */
export function createNodeLoader(load: LoadNodes, read = toData) {
  const known = new Map<string, NodeData>();
  const brought = new Map<string, NodeData[]>();
  /** What was read last: it stays on the screen while the server cannot be reached. */
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
        // The tree asks again when the server answers; until then there is nothing to show.
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
