import type { KnownAccount } from '@sallyport/contract';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { likePattern } from '../../resources/read/search-text.ts';

/** The accounts known on assets: stored ones, admin users, and pushed ones. */
const KNOWN = sql`(
  select stored.asset_id, stored.username from asset_user stored where stored.is_latest
  union
  select a.id, u.username from asset a join admin_user u on u.id = a.admin_user_id
    where u.username <> ''
  union
  select pushed.asset_id, pushed.username from system_user_push pushed
    where pushed.state = 'done')`;

/** Returns accounts of an organization whose name contains a text, the most frequent first. */
export async function knownAccounts(
  search: string,
  limit: number,
  organization: string,
  db: Db,
): Promise<readonly KnownAccount[]> {
  const { rows } = await sql<KnownAccount>`
    select known.username, count(*)::int as assets_amount
    from ${KNOWN} known join asset a on a.id = known.asset_id
    where a.is_active and a.org_id = ${organization}
      and lower(known.username) like ${likePattern(search.toLowerCase())}
    group by known.username order by assets_amount desc, known.username
    limit ${limit}`.execute(db);
  return rows;
}

/** Returns the assets on which an account is known. */
export async function knownOn(
  ids: readonly string[],
  username: string,
  db: Db,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select known.asset_id as id from ${KNOWN} known
    where known.username = ${username} and known.asset_id = any(${ids}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** True if an asset (alias `t`) is active and named, or below one of the nodes. */
export const chosenAssets = (assets: readonly string[], nodes: readonly string[]): Sql =>
  sql`(t.is_active and (t.id = any(${assets}::uuid[]) or t.id in (
    select below.asset_id from asset_ancestor below where below.node_id = any(${nodes}::uuid[]))))`;

/** True if an active asset (alias `t`) knows an account and is not chosen. */
export const knowsAccount = (username: string, chosen: Sql): Sql =>
  sql`(t.is_active and not ${chosen} and t.id in (
    select known.asset_id from ${KNOWN} known where known.username = ${username}))`;
