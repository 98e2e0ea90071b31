import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';

/** The assets of a job. */
export type AssetScope =
  | { readonly kind: 'asset' | 'node' | 'admin_user'; readonly id: string }
  /**
   * Assets that permissions reach with a system user; with `username`, those of permissions that
   * name this user. `asset` limits it to one.
   */
  | {
      readonly kind: 'system_user';
      readonly id: string;
      readonly username?: string;
      readonly asset?: string;
    }
  | { readonly kind: 'assets'; readonly ids: readonly string[] }
  /** Active assets below the nodes of a gather task. */
  | { readonly kind: 'gather_user_task'; readonly id: string }
  /** All active assets of the installation. */
  | { readonly kind: 'all' };

const PAGE = 500;

/** True if an asset (alias `t`) is one of these. */
export const isAnyOf = (ids: readonly string[]): Sql => sql`t.id = any(${ids}::uuid[])`;

/** Permissions that name a user, directly or through a group. */
const rulesOf = (username: string): Sql => sql`(
  select named.asset_permission_id from asset_permission_users named
    join account u on u.id = named.user_id where u.username = ${username}
  union all
  select named.asset_permission_id from asset_permission_user_groups named
    join user_group_users member on member.user_group_id = named.user_group_id
    join account u on u.id = member.user_id where u.username = ${username})`;

/**
 * Assets that permissions reach with a system user. Like the page of the system user, includes
 * expired and disabled permissions.
 */
export function boundTo(systemUser: Sql, username?: string): Sql {
  const byUser =
    username === undefined ? sql`true` : sql`link.asset_permission_id in ${rulesOf(username)}`;
  return sql`(
    select direct.asset_id from asset_permission_system_users link
      join asset_permission_assets direct on direct.asset_permission_id = link.asset_permission_id
    where link.system_user_id = ${systemUser} and ${byUser}
    union all
    select below.asset_id from asset_permission_system_users link
      join asset_permission_nodes rule on rule.asset_permission_id = link.asset_permission_id
      join asset_ancestor below on below.node_id = rule.node_id
    where link.system_user_id = ${systemUser} and ${byUser})`;
}

function condition(scope: AssetScope): Sql {
  if (scope.kind === 'asset') return sql`a.id = ${scope.id}`;
  if (scope.kind === 'assets') return sql`a.id = any(${scope.ids}::uuid[])`;
  if (scope.kind === 'node')
    return sql`a.id in (select below.asset_id from asset_ancestor below
      where below.node_id = ${scope.id})`;
  if (scope.kind === 'admin_user') return sql`a.admin_user_id = ${scope.id}`;
  if (scope.kind === 'gather_user_task')
    return sql`a.is_active and a.id in (
      select below.asset_id from gather_user_task_nodes link
        join asset_ancestor below on below.node_id = link.node_id
      where link.gather_user_task_id = ${scope.id})`;
  if (scope.kind === 'system_user') {
    const one = scope.asset === undefined ? sql`true` : sql`a.id = ${scope.asset}`;
    return sql`${one} and a.id in ${boundTo(sql`${scope.id}::uuid`, scope.username)}`;
  }
  return sql`a.is_active`;
}

/** Query for the ids of a scope. `again` limits it to assets that failed in that run of a task. */
export function idsOf(scope: AssetScope, again?: string): Sql {
  const failed =
    again === undefined
      ? sql`true`
      : sql`a.id in (select h.asset_id from adhoc_execution_host h
        where h.execution_id = ${again} and h.state = 'failed')`;
  return sql`select a.id from asset a where ${condition(scope)} and ${failed}`;
}

export async function countOf(scope: AssetScope, db: Db, again?: string): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*)::int as count from (${idsOf(scope, again)}) a`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Yields the ids of a scope in pages until aborted. */
export async function* pagesOf(
  scope: AssetScope,
  signal: AbortSignal,
  db: Db,
  again?: string,
): AsyncGenerator<readonly string[]> {
  let last: string | undefined;
  while (!signal.aborted) {
    const after = last === undefined ? sql`true` : sql`a.id > ${last}`;
    const { rows } = await sql<{
      id: string;
    }>`${idsOf(scope, again)} and ${after} order by a.id limit ${PAGE}`.execute(db);
    last = rows.at(-1)?.id;
    if (last === undefined) return;
    yield rows.map(({ id }) => id);
  }
}

/** A username of a system user's accounts. */
export interface AccountName {
  readonly username: string;
  /** True if the username is that of a user; the account is on the assets granted to this user. */
  readonly isOfUser: boolean;
}

/** Usernames of a system user's accounts: its own, or those of the users it is granted to. */
export async function accountNamesOf(
  systemUserId: string,
  db: Db,
): Promise<readonly AccountName[]> {
  const { rows } = await sql<AccountName>`
    select s.username, false as "isOfUser" from system_account s
    where s.id = ${systemUserId} and not s.username_same_with_user
    union
    select u.username, true from system_account s
      join asset_permission_system_users link on link.system_user_id = s.id
      join asset_permission_users named on named.asset_permission_id = link.asset_permission_id
    join account u on u.id = named.user_id
      where s.id = ${systemUserId} and s.username_same_with_user
    union
    select u.username, true from system_account s
      join asset_permission_system_users link on link.system_user_id = s.id
      join asset_permission_user_groups named
      on named.asset_permission_id = link.asset_permission_id
      join user_group_users member on member.user_group_id = named.user_group_id
      join account u on u.id = member.user_id
      where s.id = ${systemUserId} and s.username_same_with_user
    order by 1`.execute(db);
  return rows;
}
