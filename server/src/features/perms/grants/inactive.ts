import { type Sql, sql } from '../../../platform/db/sql.ts';

/** Up to this number of assets below the nodes, each of them is checked. */
export const MOST_BELOW = 50_000;

/** The inactive assets, which are few; a partial index holds them. */
export const INACTIVE: Sql = sql`select a.id from asset a where not a.is_active`;

/**
 * Query for the number of inactive assets at or below the nodes of a table `whole` (`id`,
 * `assets_amount`), as `id` and `amount`; nodes without any are missing. `inactive` is the table of
 * `INACTIVE`. Reads the smaller side: the assets below the nodes, or the nodes above the inactive
 * assets.
 */
export const inactiveBelow = (mostBelow = MOST_BELOW): Sql => sql`
  select below.node_id as id, count(*) as amount from inactive
    join asset_ancestor below on below.asset_id = inactive.id
  where below.node_id = any (array(select id from whole
    where (select sum(assets_amount) from whole) <= ${mostBelow}::integer)) group by 1
  union all
  select above.node_id, count(*) from (select id from inactive
    where (select sum(assets_amount) from whole) > ${mostBelow}::integer) inactive
    cross join lateral (select above.node_id from asset_ancestor above
      where above.asset_id = inactive.id offset 0) above
  where above.node_id in (select id from whole) group by 1`;
