import { type Language, say, TREE_FOUND_MAX, type TreeNode } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { inNaturalOrder } from '../../../platform/natural-order.ts';
import { allOf } from '../../../resources/read/scope.ts';
import { wordsOf } from '../../../resources/read/search.ts';
import { assetLeaf, inPath, type LeafAsset, nodeLeaf } from '../../assets/index.ts';
import { isGrantedAlone } from './coverage.ts';
import { grantedNodes } from './granted-nodes.ts';
import type { GrantedNode, GrantView } from './service.ts';
import {
  isGrouped,
  isUngrouped,
  UNGROUPED_KEY,
  ungroupedLeaves,
  ungroupedNodes,
} from './ungrouped.ts';

/** The caller's favorites appear under a node that is not stored. */
export const FAVORITE_KEY = '-12';
export const FAVORITE_ID = '00000000-0000-4000-8000-000000000012';
const FAVORITE_NAME = { en: 'Favorite', zh: '收藏夹' };

const MAX_LEAVES = 5_000;

const ROOTS = sql`select root.id from node root where root.parent_id is null`;

export interface TreeQuery {
  /** Key of the parent node; absent for the roots and their children. */
  readonly key: string | undefined;
  /** Includes assets as leaves. */
  readonly withAssets: boolean;
  /** The user whose favorites appear; only for the caller's own tree. */
  readonly favoritesOf: string | undefined;
  readonly language: Language;
}

/**
 * Returns one level of the granted tree. Containers above granted nodes appear, empty nodes do not.
 */
export async function grantedTree(db: Db, view: GrantView, query: TreeQuery): Promise<TreeNode[]> {
  if (query.key === FAVORITE_KEY)
    return query.withAssets ? favoriteLeaves(db, view, query.favoritesOf) : [];
  if (query.key === UNGROUPED_KEY)
    return query.withAssets && view.ungroups
      ? leavesBelow(db, view, isUngrouped(view), UNGROUPED_KEY)
      : [];
  const nodes = await view.remember(`tree ${query.key ?? ''}`, () =>
    grantedNodes(
      db,
      view,
      query.key === undefined
        ? sql`${ROOTS} union all select child.id from node child
          where child.parent_id in (${ROOTS})`
        : sql`select child.id from node child
          where child.parent_id = (select parent.id from node parent
          where parent.key = ${query.key})`,
    ),
  );
  const leaves = query.withAssets
    ? await leavesOn(
        db,
        view,
        query.key === undefined
          ? nodes.filter((node) => !node.key.includes(':')).map((node) => node.key)
          : [query.key],
      )
    : [];
  const favorites =
    query.key === undefined && query.favoritesOf
      ? [await favoriteNode(db, view, query.favoritesOf, query.language)]
      : [];
  const ungrouped =
    query.key === undefined
      ? await ungroupedLeaves(db, view, query.language, query.withAssets)
      : [];
  return [
    ...favorites,
    ...ungrouped,
    ...nodes.map((node) =>
      nodeLeaf({ ...node, has_children: node.has_children || query.withAssets }),
    ),
    ...leaves,
  ];
}

/**
 * Returns the whole granted tree: all nodes, then their assets, at most `MAX_LEAVES`. An asset on
 * several nodes appears below each.
 */
export async function wholeTree(
  db: Db,
  view: GrantView,
  favoritesOf: string | undefined,
  language: Language,
): Promise<TreeNode[]> {
  const nodes = await view.remember('nodes', () => grantedNodes(db, view));
  const favorites = favoritesOf
    ? [
        await favoriteNode(db, view, favoritesOf, language),
        ...(await favoriteLeaves(db, view, favoritesOf)),
      ]
    : [];
  const ungrouped = await ungroupedLeaves(db, view, language, true);
  const alone =
    ungrouped.length > 0 ? await leavesBelow(db, view, isUngrouped(view), UNGROUPED_KEY) : [];
  const leaves = await leavesOn(
    db,
    view,
    nodes.map(({ key }) => key),
  );
  return [
    ...favorites,
    ...ungrouped,
    ...alone,
    ...nodes.map((node) => nodeLeaf({ ...node, has_children: true })),
    ...leaves,
  ];
}

/**
 * Finds granted nodes by the words of their path, with their ancestors. The limit applies to
 * granted nodes only.
 */
export async function findGrantedNodes(
  db: Db,
  view: GrantView,
  search: string,
): Promise<TreeNode[]> {
  const { rules, nodes, organizations } = view.coverage;
  const matches = sql`
    select unnest(matching.ancestors) from (
      select t.ancestors from node t
      where t.org_id = any (${organizations}) and t.assets_amount > 0 and ${inPath(wordsOf(search))}
        and (
        t.ancestors && ${nodes}::uuid[]
        or t.id in (select unnest(top.ancestors) from node top
          where top.id = any (${nodes}::uuid[]))
        or ${
          view.ungroups
            ? sql`false`
            : sql`t.id in (select above.node_id from asset_permission_assets direct
              join asset_ancestor above on above.asset_id = direct.asset_id
          where direct.asset_permission_id = any (${rules}::uuid[]))`
        })
      order by cardinality(t.ancestors), t.key limit ${TREE_FOUND_MAX}) matching`;
  return (await grantedNodes(db, view, matches)).map((node) => nodeLeaf(node));
}

/** All granted nodes as a flat list, for clients that build the tree. */
export async function allGrantedNodes(
  db: Db,
  view: GrantView,
  language: Language,
): Promise<GrantedNode[]> {
  const nodes = await view.remember('nodes', () => grantedNodes(db, view));
  return [...(await ungroupedNodes(db, view, language)), ...nodes];
}

const LEAF = sql`a.id, a.hostname, a.ip, a.protocols, a.platform, p.base, a.domain_id as domain,
  a.org_id,
  case when a.org_id = '' then 'DEFAULT'
    else (select o.name from organization o where o.id::text = a.org_id) end as org_name`;

async function leavesOn(db: Db, view: GrantView, keys: readonly string[]): Promise<TreeNode[]> {
  if (keys.length === 0) return [];
  const { rows } = await sql<LeafAsset & { node_key: string }>`
    select ${LEAF}, n.key as node_key from node n join node_assets held on held.node_id = n.id
      join asset a on a.id = held.asset_id join platform p on p.name = a.platform
    where n.key = any (${keys}) and n.org_id = any (${view.coverage.organizations})
      and ${allOf([view.isGranted, isGrouped(view)])}
    order by a.hostname limit ${MAX_LEAVES}`.execute(db);
  return inNaturalOrder(rows, ({ hostname }) => hostname).map(({ node_key, ...asset }) =>
    assetLeaf(asset, node_key),
  );
}

/** Granted assets by a condition over alias `a`, as leaves without a parent. */
export async function grantedLeaves(
  db: Db,
  view: GrantView,
  condition: Sql,
  limit: number,
): Promise<TreeNode[]> {
  const { rows } = await sql<LeafAsset>`
    select ${LEAF} from asset a join platform p on p.name = a.platform
    where ${view.isGranted} and ${condition} order by a.hostname limit ${limit}`.execute(db);
  return inNaturalOrder(rows, ({ hostname }) => hostname).map((asset) => assetLeaf(asset, ''));
}

/** True if an asset (alias `a`) is a favorite of the user. */
export function isFavoriteOf(userId: string): Sql {
  return sql`a.id in (select f.asset_id from favorite_asset f where f.user_id = ${userId})`;
}

async function favoriteNode(
  db: Db,
  view: GrantView,
  userId: string,
  language: Language,
): Promise<TreeNode> {
  const isGrantedFavorite = allOf([isFavoriteOf(userId), isGrantedAlone(view.coverage)]);
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from asset a where ${isGrantedFavorite}`.execute(db);
  return nodeLeaf({
    id: FAVORITE_ID,
    key: FAVORITE_KEY,
    value: say(FAVORITE_NAME, language),
    assets_amount: rows[0]?.count ?? 0,
  });
}

async function favoriteLeaves(
  db: Db,
  view: GrantView,
  userId: string | undefined,
): Promise<TreeNode[]> {
  return userId ? leavesBelow(db, view, isFavoriteOf(userId), FAVORITE_KEY) : [];
}

/** Granted assets by a condition, as leaves below a node that is not stored. */
async function leavesBelow(
  db: Db,
  view: GrantView,
  condition: Sql,
  key: string,
): Promise<TreeNode[]> {
  const leaves = await grantedLeaves(db, view, condition, MAX_LEAVES);
  return leaves.map((leaf) => ({ ...leaf, pId: key }));
}
