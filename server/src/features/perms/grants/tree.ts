import { type Language, say, type TreeNode } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Sql } from '../../../http/resource/hooks.ts';
import type { Db } from '../../../platform/db/database.ts';
import { assetLeaf, type LeafAsset, nodeLeaf } from '../../assets/tree-nodes.ts';
import type { GrantView } from './service.ts';

/** The caller's favourites hang in a node of their own (permissions reference §2). */
export const FAVORITE_KEY = '-12';
export const FAVORITE_ID = '00000000-0000-4000-8000-000000000012';
const FAVORITE_NAME = { en: 'Favorite', zh: '收藏夹' };

const MAX_LEAVES = 5_000;

/** A node of somebody's tree; its count is that of the granted assets below. */
export interface GrantedNode {
  readonly id: string;
  readonly key: string;
  readonly value: string;
  readonly org_id: string;
  readonly assets_amount: number;
  readonly has_children: boolean;
}

/**
 * The granted nodes (those with granted assets somewhere below) that meet a condition over alias `n`, with their counts. Below a granted node
 * everything that is active counts, and how much that is is known; above, what hangs below the granted nodes is gathered.
 */
async function grantedNodes(db: Db, { coverage }: GrantView, condition: Sql): Promise<GrantedNode[]> {
  const { rules, nodes, organizations } = coverage;
  if (rules.length === 0) return [];
  const { rows } = await sql<GrantedNode>`
    with level as materialized (
      select n.id, n.key, n.value, n.org_id, n.assets_amount, n.ancestors && ${nodes}::uuid[] as is_granted
      from node n where n.org_id = any (${organizations}) and n.assets_amount > 0 and ${condition}
    ), inactive as materialized (
      select a.id from asset a where not a.is_active
    ), inactive_below as (
      select below.node_id as id, count(*) as amount from inactive join asset_ancestor below on below.asset_id = inactive.id
      where below.node_id in (select id from level where is_granted) group by 1
    ), shared as materialized (
      -- Assets on several nodes: granted by one, they are shown on the others too.
      select held.asset_id from node root join asset_ancestor held on held.node_id = root.id and held.times > 1
      where root.parent_id is null and root.org_id = any (${organizations})
    ), reached as materialized (
      select below.node_id, below.asset_id from asset_ancestor below
      where below.node_id = any (${nodes}::uuid[]) and exists (select 1 from level where not is_granted)
    ), gathered as (
      select level.id, reached.asset_id from node top cross join lateral unnest(top.ancestors) above (id)
        join level on level.id = above.id and not level.is_granted
        join reached on reached.node_id = top.id
      where top.id = any (${nodes}::uuid[])
      union
      select level.id, shared.asset_id from shared join reached on reached.asset_id = shared.asset_id
        join asset_ancestor other on other.asset_id = shared.asset_id
        join level on level.id = other.node_id and not level.is_granted
      union
      select level.id, direct.asset_id from asset_permission_assets direct
        join asset_ancestor below on below.asset_id = direct.asset_id
        join level on level.id = below.node_id and not level.is_granted
      where direct.asset_permission_id = any (${rules}::uuid[])
    ), counted as (
      select level.id, level.assets_amount - coalesce(inactive_below.amount, 0) as amount
        from level left join inactive_below using (id) where level.is_granted
      union all
      select id, count(*) from gathered where not exists (select 1 from inactive where inactive.id = gathered.asset_id) group by 1
    )
    select level.id, level.key, level.value, level.org_id, counted.amount as assets_amount,
      exists (select 1 from node child where child.parent_id = level.id and child.assets_amount > 0) as has_children
    from level join counted using (id) where counted.amount > 0 order by level.value, level.key`.execute(db);
  return rows;
}

/** Which part of a user's tree is wanted. */
export interface TreeQuery {
  /** Key of the node whose children are wanted; absent: the roots and their children. */
  readonly key: string | undefined;
  /** Whether assets hang in the tree as leaves. */
  readonly withAssets: boolean;
  /** Favourites are shown to their owner only. */
  readonly favoritesOf: string | undefined;
  readonly language: Language;
}

/** One level of the tree of what a user is granted; containers above granted nodes are shown, empty nodes are not. */
export async function grantedTree(db: Db, view: GrantView, query: TreeQuery): Promise<TreeNode[]> {
  if (query.key === FAVORITE_KEY) return query.withAssets ? favoriteLeaves(db, view, query.favoritesOf) : [];
  const nodes = await view.remember(`tree ${query.key ?? ''}`, () =>
    grantedNodes(
      db,
      view,
      query.key === undefined
        ? sql`(n.parent_id is null or n.parent_id in (select root.id from node root where root.parent_id is null))`
        : sql`n.parent_id = (select above.id from node above where above.key = ${query.key})`,
    ),
  );
  const leaves = query.withAssets
    ? await leavesOn(db, view, query.key === undefined ? nodes.filter((node) => !node.key.includes(':')).map((node) => node.key) : [query.key])
    : [];
  const favorites = query.key === undefined && query.favoritesOf ? [await favoriteNode(db, view, query.favoritesOf, query.language)] : [];
  return [...favorites, ...nodes.map((node) => nodeLeaf({ ...node, has_children: node.has_children || query.withAssets })), ...leaves];
}

/** Every granted node, flat: for clients that draw the tree themselves. */
export function allGrantedNodes(db: Db, view: GrantView): Promise<GrantedNode[]> {
  return view.remember('nodes', () => grantedNodes(db, view, sql`true`));
}

const LEAF = sql`a.id, a.hostname, a.ip, a.protocols, a.platform, p.base, a.domain_id as domain, a.org_id,
  case when a.org_id = '' then 'DEFAULT' else (select o.name from organization o where o.id::text = a.org_id) end as org_name`;

async function leavesOn(db: Db, view: GrantView, keys: readonly string[]): Promise<TreeNode[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<LeafAsset & { node_key: string }>`
    select ${LEAF}, n.key as node_key from node n join node_assets held on held.node_id = n.id join asset a on a.id = held.asset_id join platform p on p.name = a.platform
    where n.key = any (${keys}) and n.org_id = any (${view.coverage.organizations}) and ${view.isGranted} order by a.hostname limit ${MAX_LEAVES}`.execute(db);
  return rows.map(({ node_key, ...asset }) => assetLeaf(asset, node_key));
}

/** Granted assets that meet a condition over alias `a`, as leaves without a place in the tree. */
export async function grantedLeaves(db: Db, view: GrantView, condition: Sql, limit: number): Promise<TreeNode[]> {
  const { rows } = await sql<LeafAsset>`
    select ${LEAF} from asset a join platform p on p.name = a.platform where ${view.isGranted} and ${condition} order by a.hostname limit ${limit}`.execute(db);
  return rows.map((asset) => assetLeaf(asset, ''));
}

/** The condition that an asset (alias `a`) is one of somebody's favourites. */
export function isFavoriteOf(userId: string): Sql {
  return sql`a.id in (select f.asset_id from favorite_asset f where f.user_id = ${userId})`;
}

async function favoriteNode(db: Db, view: GrantView, userId: string, language: Language): Promise<TreeNode> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from asset a where ${isFavoriteOf(userId)} and ${view.isGranted}`.execute(db);
  return nodeLeaf({ id: FAVORITE_ID, key: FAVORITE_KEY, value: say(FAVORITE_NAME, language), assets_amount: rows[0]?.count ?? 0 });
}

async function favoriteLeaves(db: Db, view: GrantView, userId: string | undefined): Promise<TreeNode[]> {
  if (!userId) return [];
  const leaves = await grantedLeaves(db, view, isFavoriteOf(userId), MAX_LEAVES);
  return leaves.map((leaf) => ({ ...leaf, pId: FAVORITE_KEY }));
}
