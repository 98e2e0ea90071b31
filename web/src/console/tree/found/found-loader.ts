import type { TreeNode } from '@sallyport/contract';
import { type NodeData, type NodeLoader, parentKey, TREE_ROOT, toData } from '../node-data.ts';

/**
 * Loads a tree of matching nodes with all ancestors open. Children of a match load when the user
 * opens it. The first load uses the given answer; a reload repeats the search.
 */
export function createFoundLoader(
  answer: readonly TreeNode[],
  find: () => Promise<readonly TreeNode[]>,
  whole: NodeLoader,
): NodeLoader {
  let waiting: readonly TreeNode[] | undefined = answer;
  let below = new Map<string, NodeData[]>();
  const opened = new Map<string, NodeData>();

  async function read(): Promise<void> {
    const nodes = whole.remember((waiting ?? (await find())).flatMap(toData));
    waiting = undefined;
    const parents = new Set(nodes.map(({ key }) => parentKey(key)));
    below = new Map([...parents].map((parent) => [parent, []]));
    for (const node of nodes) {
      const data = { ...node, open: parents.has(node.key) };
      opened.set(node.id, data);
      below.get(parentKey(node.key))?.push(data);
    }
  }
  const known = (id: string) => opened.get(id) ?? whole.known(id);

  return {
    known,
    remember: whole.remember,
    getItem: async (id) => known(id) ?? whole.getItem(id),
    getChildrenWithData: async (id) => {
      if (id === TREE_ROOT) await read();
      const ready = below.get(id === TREE_ROOT ? '' : (known(id)?.key ?? ''));
      return id === TREE_ROOT || ready
        ? (ready ?? []).map((data) => ({ id: data.id, data }))
        : whole.getChildrenWithData(id);
    },
  };
}
