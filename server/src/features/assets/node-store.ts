import { isUuid, type TreeNode } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { inNaturalOrder } from '../../platform/natural-order.ts';
import type { NodeRow } from './tree.ts';

export interface NodeLevel extends NodeRow {
  readonly has_children: boolean;
}

export async function findNode(
  keyOrId: string,
  organizationId: string,
  db: Db,
): Promise<NodeRow | undefined> {
  const condition = isUuid(keyOrId) ? sql`id = ${keyOrId}` : sql`key = ${keyOrId.slice(0, 255)}`;
  const { rows } = await sql<NodeRow>`select * from node where ${condition}
      and org_id = ${organizationId}`.execute(db);
  return rows[0];
}

/** Nodes directly below a node, or with `all` its whole subtree, in natural order or by key. */
export async function levelBelow(
  parent: NodeRow,
  {
    all,
    withParent,
    byKey = false,
  }: { readonly all: boolean; readonly withParent: boolean; readonly byKey?: boolean },
  db: Db,
): Promise<readonly NodeLevel[]> {
  const below = all ? sql`t.key like ${`${parent.key}:%`}` : sql`t.parent_id = ${parent.id}`;
  const { rows } = await sql<NodeLevel>`
    select t.*, exists (select 1 from node child where child.parent_id = t.id) as has_children
    from node t where t.org_id = ${parent.org_id}
      and (${below} ${withParent ? sql`or t.id = ${parent.id}` : sql``})
    order by t.key`.execute(db);
  if (byKey) return rows;
  // A client that builds its tree row by row needs the parent first.
  const [above, others] = [
    rows.filter(({ id }) => id === parent.id),
    rows.filter(({ id }) => id !== parent.id),
  ];
  return [...above, ...inNaturalOrder(others, ({ value }) => value)];
}

/** Nodes by their ids with all their ancestors, in natural order. */
export async function withNodesAbove(
  ids: readonly string[],
  organizationId: string,
  db: Db,
): Promise<readonly NodeLevel[]> {
  const { rows } = await sql<NodeLevel>`
    select t.*, exists (select 1 from node child where child.parent_id = t.id) as has_children
    from node t where t.org_id = ${organizationId}
      and t.id in (select unnest(found.ancestors) from node found
      where found.id = any (${ids}::uuid[]))`.execute(db);
  return inNaturalOrder(rows, ({ value }) => value);
}

/** Assets directly on a node, as leaves of the tree. */
export async function assetsOn(
  node: NodeRow,
  organizationName: string,
  db: Db,
): Promise<readonly LeafAsset[]> {
  const { rows } = await sql<LeafAsset>`
    select a.id, a.hostname, a.ip, a.protocols, a.platform, p.base, a.domain_id as domain, a.org_id,
      ${organizationName} as org_name, a.connectivity_status as reachability
    from node_assets held join asset a on a.id = held.asset_id
      join platform p on p.name = a.platform
    where held.node_id = ${node.id} order by a.hostname limit 5000`.execute(db);
  return inNaturalOrder(rows, ({ hostname }) => hostname);
}

/** Ids of the assets directly on a node. */
export async function assetIdsOn(nodeId: string, db: Db): Promise<readonly string[]> {
  const { rows } = await sql<{
    asset_id: string;
  }>`select asset_id from node_assets where node_id = ${nodeId}`.execute(db);
  return rows.map((row) => row.asset_id);
}

/** Ids of the assets on and below nodes, at most `limit`. */
export async function assetIdsBelow(
  nodes: readonly string[],
  limit: number,
  db: Db,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct below.asset_id as id from asset_ancestor below
    where below.node_id = any (${nodes}::uuid[]) limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
}

/** A node as a tree item. Its key is the id, and its name includes the count. */
export function nodeLeaf(node: {
  id: string;
  key: string;
  value: string;
  assets_amount: number;
  has_children?: boolean;
}): TreeNode {
  const above = node.key.lastIndexOf(':');
  const name = `${node.value} (${node.assets_amount})`;
  return {
    id: node.key,
    name,
    title: name,
    pId: above < 0 ? '' : node.key.slice(0, above),
    isParent: node.has_children ?? true,
    open: above < 0 && !node.key.startsWith('-'),
    iconSkin: '',
    nocheck: false,
    meta: {
      type: 'node',
      node: {
        id: node.id,
        key: node.key,
        value: node.value,
        name: node.value,
        assets_amount: node.assets_amount,
      },
    },
  };
}

export interface LeafAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly protocols: readonly string[];
  readonly platform: string;
  readonly base: string;
  readonly domain: string | null;
  readonly org_id: string;
  readonly org_name: string;
  readonly reachability?: 0 | 1 | 2;
}

/** An asset as a tree item below the node with this key. */
export function assetLeaf(asset: LeafAsset, parentKey: string): TreeNode {
  const { base, ...rest } = asset;
  return {
    id: asset.id,
    name: asset.hostname,
    title: asset.ip,
    pId: parentKey,
    isParent: false,
    open: false,
    iconSkin:
      base === 'Windows'
        ? 'windows'
        : ['Linux', 'Unix', 'BSD', 'MacOS'].includes(base)
          ? 'linux'
          : 'file',
    nocheck: !asset.protocols.some((protocol) => protocol.startsWith('ssh/')),
    meta: { type: 'asset', asset: rest },
  };
}
