import type { TreeNode } from '@sallyport/contract';
import type { TabAsset } from '../tabs/tabs-state.ts';

export const FAVORITES_KEY = '-12';
export const ROOT_ID = 'root';

export interface GrantedLeaf extends TabAsset {
  readonly protocols: readonly string[];
  readonly platform: string;
  readonly organization: string;
  /** True if this terminal can open it. */
  readonly usable: boolean;
}

/** One row of the asset tree. An asset may be below several nodes, so its row is named by both. */
export type TreeRow =
  | { readonly kind: 'root'; readonly id: string; readonly name: string }
  | {
      readonly kind: 'node';
      readonly id: string;
      readonly key: string;
      readonly name: string;
      readonly count: number;
      readonly open: boolean;
    }
  | {
      readonly kind: 'asset';
      readonly id: string;
      readonly name: string;
      readonly asset: GrantedLeaf;
    }
  | { readonly kind: 'loading'; readonly id: string; readonly name: string }
  | {
      readonly kind: 'failed';
      readonly id: string;
      readonly name: string;
      readonly parent: string;
    };

export interface PlacedRow {
  readonly parent: string;
  readonly row: TreeRow;
}

const COUNT = /\s*\((\d+)\)$/;

/** The row of a node or an asset as the server sends it. */
export function rowOf(node: TreeNode): TreeRow {
  const { meta } = node;
  if (meta.type === 'node') {
    const counted = COUNT.exec(node.name);
    const count = meta.node.assets_amount ?? Number(counted?.[1] ?? 0);
    return {
      kind: 'node',
      id: `node:${node.id}`,
      key: node.id,
      name: meta.node.value || node.name.replace(COUNT, ''),
      count,
      open: node.open,
    };
  }
  return {
    kind: 'asset',
    id: `asset:${node.pId}:${meta.asset.id}`,
    name: meta.asset.hostname,
    asset: leafOf(meta.asset, node),
  };
}

function leafOf(
  asset: Extract<TreeNode['meta'], { type: 'asset' }>['asset'],
  node: TreeNode,
): GrantedLeaf {
  const { id, hostname, ip, protocols, platform, org_name: organization } = asset;
  return { id, hostname, ip, protocols, platform, organization, usable: !node.nocheck };
}

/** Rows with their parents; rows without a parent in this answer are below `top`. */
export function placeRows(nodes: readonly TreeNode[], top: string): PlacedRow[] {
  const present = new Set(nodes.filter(({ meta }) => meta.type === 'node').map(({ id }) => id));
  return nodes.map((node) => ({
    parent: present.has(node.pId) ? `node:${node.pId}` : top,
    row: rowOf(node),
  }));
}

/** The rows by parent, in the order of the answer. */
export function byParent(rows: readonly PlacedRow[]): Map<string, TreeRow[]> {
  const children = new Map<string, TreeRow[]>();
  for (const { parent, row } of rows) children.set(parent, [...(children.get(parent) ?? []), row]);
  return children;
}

/** The assets of a search answer, each once, grouped by organization. */
export function groupFound(
  nodes: readonly TreeNode[],
): { readonly organization: string; readonly assets: readonly GrantedLeaf[] }[] {
  const groups = new Map<string, Map<string, GrantedLeaf>>();
  for (const node of nodes) {
    if (node.meta.type !== 'asset') continue;
    const leaf = leafOf(node.meta.asset, node);
    const group = groups.get(leaf.organization) ?? new Map<string, GrantedLeaf>();
    group.set(leaf.id, leaf);
    groups.set(leaf.organization, group);
  }
  return [...groups].map(([organization, assets]) => ({
    organization,
    assets: [...assets.values()],
  }));
}

/** A granted node that a search found. */
export interface FoundNode {
  readonly key: string;
  /** Names from the root to the node. */
  readonly path: string;
  readonly count: number;
}

/**
 * Returns the matching nodes of a search answer, which also contains their parents. A match has no
 * children in the answer, or a search word in its own name.
 */
export function foundNodes(nodes: readonly TreeNode[], text: string): FoundNode[] {
  const rows = new Map(nodes.map((node) => [node.id, { above: node.pId, row: rowOf(node) }]));
  const inner = new Set(nodes.map(({ pId }) => pId));
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  const pathOf = (id: string): string[] => {
    const entry = rows.get(id);
    return entry ? [...pathOf(entry.above), entry.row.name] : [];
  };
  return [...rows].flatMap(([id, { row }]) => {
    const name = row.name.toLowerCase();
    if (row.kind !== 'node' || (inner.has(id) && !terms.some((term) => name.includes(term))))
      return [];
    return [{ key: row.key, path: pathOf(id).join(' / '), count: row.count }];
  });
}
