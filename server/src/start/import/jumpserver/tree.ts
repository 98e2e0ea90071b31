import type { Reading } from './people.ts';
import { idOf, organizationOf, type Pairs, textOf } from './values.ts';

interface SourceNode {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly organization: string;
}

const parentKey = (key: string) => key.slice(0, Math.max(0, key.lastIndexOf(':')));
const depthOf = (key: string) => key.split(':').length;

/** The tree of nodes in the source, with the assets on and below each node. */
export class SourceTree {
  readonly #nodes = new Map<string, SourceNode>();
  readonly #byKey = new Map<string, SourceNode>();
  readonly #roots = new Map<string, string>();
  readonly #below = new Map<string, Set<string>>();

  add(node: SourceNode): void {
    this.#nodes.set(node.id, node);
    this.#byKey.set(node.key, node);
    if (isRoot(node)) this.#roots.set(node.organization, node.id);
  }

  /** All nodes, those above first. */
  all(): SourceNode[] {
    return [...this.#nodes.values()].toSorted(
      (one, other) => depthOf(one.key) - depthOf(other.key) || (one.key < other.key ? -1 : 1),
    );
  }

  rootOf(organization: string): string | undefined {
    return this.#roots.get(organization);
  }

  parentOf(node: SourceNode): SourceNode | undefined {
    return this.#byKey.get(parentKey(node.key));
  }

  /** Places assets on nodes. */
  place(nodesOfAssets: Pairs): void {
    for (const [asset, nodes] of nodesOfAssets)
      for (const id of nodes)
        for (let key = this.#nodes.get(id)?.key ?? ''; key !== ''; key = parentKey(key)) {
          const node = this.#byKey.get(key);
          if (!node) continue;
          const assets = this.#below.get(node.id) ?? new Set();
          this.#below.set(node.id, assets.add(asset));
        }
  }

  /** Assets on and below a node. */
  assetsBelow(id: string): ReadonlySet<string> {
    return this.#below.get(id) ?? new Set();
  }
}

const isRoot = ({ key }: SourceNode) => /^\d+$/.test(key);

export async function readTree({ database, into }: Reading): Promise<SourceTree> {
  const tree = new SourceTree();
  for await (const row of database.rows('assets_node')) {
    const key = textOf(row.key);
    // Nodes with negative keys are drawn, not stored: ungrouped, empty, favorites.
    if (key.startsWith('-')) continue;
    tree.add({
      id: idOf(row.id),
      key,
      value: textOf(row.value),
      organization: organizationOf(row),
    });
  }
  for (const node of tree.all()) {
    const parent = isRoot(node) ? undefined : tree.parentOf(node);
    const place = `assets_node ${node.id}`;
    if (!isRoot(node) && !parent) {
      into.note(place, `key ${node.key} has no node above it; it is not imported`);
      continue;
    }
    into.add({
      kind: 'node',
      id: node.id,
      organization: node.organization,
      name: node.value,
      place,
      fields: {},
      ...(parent && { parent: parent.id }),
    });
  }
  return tree;
}
