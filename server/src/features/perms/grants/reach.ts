import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { GrantCache } from './cache.ts';

/**
 * How many assets the rules of each system user reach, by its id; rules that are over or switched
 * off count too.
 */
export type ReachOf = (
  systemUserIds: readonly string[],
  db: Db | Tx,
) => Promise<ReadonlyMap<string, number>>;

/**
 * Counts what system users reach. With big rules that takes a while, so it is remembered until a
 * rule, a node or an asset changes.
 */
export function createReach(db: Db): ReachOf {
  const cache = new GrantCache(db);
  return async (ids, asked) => {
    // Inside a transaction the number of changes may yet be taken back: what belongs to it must not
    // be remembered.
    if (asked.isTransaction) return countReached(asked, ids);
    const version = await cache.version();
    // Asked for together, one after the other: a page of them must not take every connection there
    // is.
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
