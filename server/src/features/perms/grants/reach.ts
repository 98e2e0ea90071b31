import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { GrantCache } from './cache.ts';

/**
 * Counts the assets that the permissions of each system user reach, by its id. Includes permissions
 * that are disabled or expired. `version` is that of the grants, read with the system users.
 */
export type ReachOf = (
  systemUserIds: readonly string[],
  version: number,
  db: Db | Tx,
) => Promise<ReadonlyMap<string, number>>;

/**
 * Creates a cached count of the assets that system users reach. Counting large permissions is slow.
 */
export function createReach(db: Db): ReachOf {
  const cache = new GrantCache(db);
  return async (ids, version, executor) => {
    // A transaction may roll back its changes, so counts within one are not cached.
    if (executor.isTransaction) return countReached(executor, ids);
    // Counts run one after the other, so that a page does not take all connections of the pool.
    const amounts = new Map<string, number>();
    for (const id of ids) {
      const amount = await cache.remember(version, id, async () => ({
        value: (await countReached(db, [id])).get(id) ?? 0,
        validUntil: Number.POSITIVE_INFINITY,
      }));
      amounts.set(id, amount);
    }
    return amounts;
  };
}

async function countReached(db: Db | Tx, ids: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; amount: number }>`
    select s.id, (
      select count(distinct reached.asset_id) from (
        select direct.asset_id from asset_permission_system_users link
          join asset_permission_assets direct
          on direct.asset_permission_id = link.asset_permission_id where link.system_user_id = s.id
        union all
        select below.asset_id from (
          select distinct rule.node_id from asset_permission_system_users link
            join asset_permission_nodes rule on rule.asset_permission_id = link.asset_permission_id
          where link.system_user_id = s.id
        ) place join asset_ancestor below on below.node_id = place.node_id
      ) reached
    ) as amount from unnest(${ids}::uuid[]) as s (id)`.execute(db);
  return new Map(rows.map(({ id, amount }) => [id, amount]));
}
