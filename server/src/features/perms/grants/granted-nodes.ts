import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { inNaturalOrder } from '../../../platform/natural-order.ts';
import type { Coverage } from './coverage.ts';
import { INACTIVE, inactiveBelow, MOST_BELOW } from './inactive.ts';
import type { GrantedNode, GrantView } from './service.ts';

/** Looking up one asset costs as much as reading this many assets with several places. */
const LOOKUP_COST = 8;

/**
 * True if it is cheaper to look each granted asset up than to read all assets with several places
 * first, by the statistics of their index.
 */
const isCheaperByIndex = ({ atMost }: Coverage): Sql => sql`(${atMost * LOOKUP_COST}::bigint <
  (select c.reltuples from pg_class c where c.oid = 'asset_ancestor_shared'::regclass))`;

/** Chooses between ways to read the same nodes. */
const planOf = (coverage: Coverage): { readonly byIndex: Sql; readonly mostBelow: number } => ({
  byIndex: isCheaperByIndex(coverage),
  mostBelow: MOST_BELOW,
});

/** A scalar query, because the planner would read all rows for `exists`. */
const isInactive = (id: Sql): Sql => sql`case when (select by_index from choice)
  then (select true from asset a where a.id = ${id} and not a.is_active) is true
  else ${id} in (select id from inactive) end`;

/**
 * Returns the granted nodes (those with granted assets at or below them) among a query for ids,
 * with their counts. All active assets below a granted node count, and their number is stored.
 * Above granted nodes, assets with one place are counted once per granted node. Assets with several
 * places, and those that permissions name directly, are looked up one by one.
 */
export async function grantedNodes(
  db: Db,
  { coverage, ungroups }: GrantView,
  among?: Sql,
  { byIndex, mostBelow } = planOf(coverage),
): Promise<GrantedNode[]> {
  const { rules, nodes, organizations } = coverage;
  const direct = ungroups
    ? sql``
    : sql`union select direct.asset_id from asset_permission_assets direct
      where direct.asset_permission_id = any (${rules}::uuid[])`;
  if (rules.length === 0) return [];
  const { rows } = await sql<GrantedNode>`
    with level as materialized (
      select n.id, n.key, n.value, n.org_id, n.assets_amount,
        n.ancestors && ${nodes}::uuid[] as is_granted
      from node n where n.org_id = any (${organizations})
        and n.assets_amount > 0 ${among ? sql`and n.id in (${among})` : sql``}
    ), choice as materialized (
      select ${byIndex} as by_index
    ), inactive as materialized (
      ${INACTIVE}
    ), root as materialized (
      select id from node where parent_id is null and org_id = any (${organizations})
    ), shared as materialized (
      select held.asset_id as id from root
        join asset_ancestor held on held.node_id = root.id and held.times > 1
    ), named as materialized (
      select direct.asset_id as id from asset_permission_assets direct
      where direct.asset_permission_id = any (${rules}::uuid[])
    ), reached as materialized (
      -- One row per granted node: the number of assets placed once below it, and the ids of the
      -- special assets there.
      select node_id, count(*) filter (where not is_special) as amount,
        array_agg(asset_id) filter (where is_special) as specials from (
        select below.node_id, below.asset_id,
          below.asset_id in (select id from named) or case when (select by_index from choice)
            then (select true from asset_ancestor held where held.asset_id = below.asset_id
              and held.times > 1 and held.node_id = any (array(select id from root))
              limit 1) is true
            else below.asset_id in (select id from shared) end as is_special
        from asset_ancestor below
        where below.node_id = any (${nodes}::uuid[]) and not ${isInactive(sql`below.asset_id`)}
          and exists (select 1 from level where not is_granted)
        offset 0 -- keeps the planner from comparing each row with the special ones twice
      ) each group by 1
    ), whole as materialized (
      select id, assets_amount from level
      where is_granted and id not in (select node_id from reached)
    ), inactive_below as (
      ${inactiveBelow(mostBelow)}
    ), plain as (
      select over_top.id, sum(reached.amount) as amount
      from (select top.id, top.ancestors from node top
        where top.id = any (${nodes}::uuid[]) offset 0) top
        join reached on reached.node_id = top.id
        cross join lateral unnest(top.ancestors) over_top (id) group by 1
    ), single as (
      -- The lateral query keeps the planner from reading all assets below the nodes of the level.
      select above.node_id as id, count(*) as amount from (
        select unnest(specials) as asset_id from reached
        ${direct}
      ) one cross join lateral (select above.node_id from asset_ancestor above
      where above.asset_id = one.asset_id offset 0) above
      where not ${isInactive(sql`one.asset_id`)}
        and above.node_id in (select id from level where not is_granted) group by 1
    ), counted as (
      select level.id, reached.amount + coalesce(cardinality(reached.specials), 0) as amount
      from level join reached on reached.node_id = level.id
      union all
      select whole.id, whole.assets_amount - coalesce(inactive_below.amount, 0)
        from whole left join inactive_below using (id)
      union all
      select level.id, sum(part.amount)::bigint
      from (select * from plain union all select * from single) part
        join level on level.id = part.id and not level.is_granted group by 1
    )
    select level.id, level.key, level.value, level.org_id, counted.amount as assets_amount,
      (select true from node child where child.parent_id = level.id and child.assets_amount > 0
        limit 1) is true as has_children
    from level join counted using (id) where counted.amount > 0 order by level.key`.execute(db);
  const isRoot = ({ key }: { readonly key: string }) => !key.includes(':');
  const sorted = inNaturalOrder(rows, ({ value }) => value);
  return [...sorted.filter(isRoot), ...sorted.filter((row) => !isRoot(row))];
}
