import type { LocalText } from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';

/** The granted accounts of a system user to push. */
export type PushScope =
  /** Accounts requested by bindings since the last push. */
  | { readonly kind: 'wanted' }
  | { readonly kind: 'all' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'asset'; readonly asset: string; readonly username?: string };

export interface PushedSystemUser {
  readonly id: string;
  readonly name: string;
  readonly org_id: string;
  readonly protocol: string;
  readonly login_mode: string;
  readonly auto_push: boolean;
  readonly has_secret: boolean;
}

/** Result of an account. */
export interface PushOutcome {
  readonly state: 'done' | 'failed' | 'skipped';
  readonly reason?: LocalText | undefined;
  readonly detail?: string | undefined;
  readonly changed?: readonly string[] | undefined;
}

/** Steps of a push, in order. */
export const PUSH_MODULES = [
  'user',
  'group',
  'password',
  'authorized-key',
  'authorities',
  'sudo-rule',
];

/** Assets per query. */
const PAGE = 500;

/** Reads a system user; undefined if it was deleted. */
export async function systemUserOf(id: string, db: Db): Promise<PushedSystemUser | undefined> {
  const { rows } = await sql<PushedSystemUser>`
    select id, name, org_id, protocol, login_mode, auto_push,
      login_mode = 'certificate' or coalesce(password, private_key) is not null as has_secret
    from system_account where id = ${id}`.execute(db);
  return rows[0];
}

/**
 * Assets of a system user with the usernames of its accounts: its own, or those of the users named
 * by the same permission.
 */
const targetsOf = (systemUser: string): Sql => sql`
  rule as (select link.asset_permission_id as id from asset_permission_system_users link
    where link.system_user_id = ${systemUser}),
  place as (
    select rule.id, direct.asset_id from rule
      join asset_permission_assets direct on direct.asset_permission_id = rule.id
    union
    select rule.id, below.asset_id from rule
      join asset_permission_nodes named on named.asset_permission_id = rule.id
      join asset_ancestor below on below.node_id = named.node_id),
  person as (
    select rule.id, u.username from rule
      join asset_permission_users named on named.asset_permission_id = rule.id
    join account u on u.id = named.user_id
    where u.is_active
    union
    select rule.id, u.username from rule
      join asset_permission_user_groups named on named.asset_permission_id = rule.id
      join user_group_users member on member.user_group_id = named.user_group_id
    join account u on u.id = member.user_id
    where u.is_active),
  target as (
    select distinct place.asset_id, s.username, s.org_id from place
      join system_account s on s.id = ${systemUser} and not s.username_same_with_user
    union
    select distinct place.asset_id, person.username, s.org_id from place
      join person on person.id = place.id
      join system_account s on s.id = ${systemUser} and s.username_same_with_user)`;

/** Marks accounts as waiting, and consumes the requests of bindings. */
export async function markWaiting(systemUser: string, scope: PushScope, db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    const requests = await takeRequests(systemUser, tx);
    const hasRequests =
      requests.asset_ids.length + requests.node_ids.length + requests.usernames.length > 0 ||
      requests.is_all;
    const conditions = [
      ...(hasRequests ? [requestCondition(requests)] : []),
      ...(scope.kind === 'all' ? [sql`true`] : []),
      ...(scope.kind === 'asset'
        ? [
            sql`(target.asset_id = ${scope.asset}
              and ${
                scope.username === undefined ? sql`true` : sql`target.username = ${scope.username}`
              })`,
          ]
        : []),
      ...(scope.kind === 'failed'
        ? [
            sql`exists (select 1 from system_user_push p
              where p.system_user_id = ${systemUser} and p.asset_id = target.asset_id
              and p.username = target.username and p.state = 'failed')`,
          ]
        : []),
    ];
    if (conditions.length === 0) return;
    await sql`
      with ${targetsOf(systemUser)}
      insert into system_user_push (org_id, system_user_id, asset_id, username)
      select target.org_id, ${systemUser}, target.asset_id, target.username from target
      where target.username <> '' and (${sql.join(conditions, sql` or `)})
      order by target.asset_id, target.username
      on conflict (system_user_id, asset_id, username)
      do update set state = 'waiting', reason = null, detail = ''`.execute(tx);
  });
}

const IS_NEVER_PUSHED = sql`folded_name(username) in ('root', 'administrator')`;

/**
 * Usernames that a push would create, by asset; on one asset, or on those that failed in a run.
 * Omits accounts that are never pushed.
 */
export async function namesToPush(
  systemUser: string,
  { asset, again }: { readonly asset?: string | undefined; readonly again?: string | undefined },
  db: Db,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await sql<{ id: string; names: string[] }>`
    with ${targetsOf(systemUser)}
    select a.id, array_agg(target.username order by target.username) as names from target
      join asset a on a.id = target.asset_id
    where target.username <> '' and not ${IS_NEVER_PUSHED}
      and ${asset === undefined ? sql`true` : sql`a.id = ${asset}`}
      and not exists (select 1 from admin_user u
        where u.id = a.admin_user_id and u.username = target.username)
      and ${
        again === undefined
          ? sql`true`
          : sql`exists (select 1 from adhoc_execution_host h
        where h.execution_id = ${again} and h.asset_id = a.id and h.state = 'failed')`
      }
    group by a.id order by a.hostname, a.id`.execute(db);
  return new Map(rows.map(({ id, names }) => [id, names]));
}

interface PushRequests {
  readonly is_all: boolean;
  readonly asset_ids: readonly string[];
  readonly node_ids: readonly string[];
  readonly usernames: readonly string[];
}

async function takeRequests(systemUser: string, tx: Tx): Promise<PushRequests> {
  const { rows } = await sql<PushRequests>`
    with taken as (delete from system_user_push_wanted where system_user_id = ${systemUser}
      returning asset_id, node_id, username)
    select coalesce(bool_or(asset_id is null and node_id is null and username is null),
      false) as is_all,
      coalesce(array_agg(asset_id) filter (where asset_id is not null), '{}') as asset_ids,
      coalesce(array_agg(node_id) filter (where node_id is not null), '{}') as node_ids,
      coalesce(array_agg(username) filter (where username is not null), '{}') as usernames
      from taken`.execute(tx);
  return rows[0] ?? { is_all: false, asset_ids: [], node_ids: [], usernames: [] };
}

function requestCondition({
  is_all: isAll,
  asset_ids: assets,
  node_ids: nodes,
  usernames,
}: PushRequests): Sql {
  if (isAll) return sql`true`;
  return sql`(target.asset_id = any(${assets}::uuid[])
    or target.username = any(${usernames}::text[])
    or target.asset_id in (select below.asset_id from asset_ancestor below
      where below.node_id = any(${nodes}::uuid[])))`;
}

/** Requests a push of all system users with automatic push. */
export async function wantAll(db: Db): Promise<void> {
  await sql`
    insert into system_user_push_wanted (system_user_id) select s.id from system_account s
    where pushes_itself(s) order by s.id
    on conflict (system_user_id, asset_id, node_id, username)
    do update set is_queued = false`.execute(db);
}

/**
 * Takes the system users with requests that have no job yet. The caller enqueues the jobs in the
 * same transaction, so that only one server does.
 */
export async function takeUnqueued(
  tx: Tx,
): Promise<readonly Pick<PushedSystemUser, 'id' | 'name' | 'org_id'>[]> {
  const { rows } = await sql<Pick<PushedSystemUser, 'id' | 'name' | 'org_id'>>`
    with asked as (update system_user_push_wanted set is_queued = true where not is_queued
      returning system_user_id)
    select s.id, s.name, s.org_id from system_account s
    where s.id in (select system_user_id from asked) order by s.id`.execute(tx);
  return rows;
}

export async function countWaiting(systemUser: string, db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count
    from system_user_push where system_user_id = ${systemUser} and state = 'waiting'`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Yields the assets with waiting accounts in pages until aborted. */
export async function* waitingAssets(
  systemUser: string,
  signal: AbortSignal,
  db: Db,
): AsyncGenerator<readonly string[]> {
  let last = '00000000-0000-0000-0000-000000000000';
  while (!signal.aborted) {
    const { rows } = await sql<{ asset_id: string }>`
      select distinct asset_id from system_user_push
      where system_user_id = ${systemUser} and state = 'waiting' and asset_id > ${last}
      order by asset_id limit ${PAGE}`.execute(db);
    if (rows.length === 0) return;
    last = rows.at(-1)?.asset_id ?? last;
    yield rows.map(({ asset_id: id }) => id);
  }
}

/** Usernames of waiting accounts on an asset. */
export async function waitingNames(
  systemUser: string,
  asset: string,
  db: Db,
): Promise<readonly string[]> {
  const { rows } = await sql<{ username: string }>`
    select username from system_user_push where system_user_id = ${systemUser}
      and asset_id = ${asset} and state = 'waiting' order by username`.execute(db);
  return rows.map(({ username }) => username);
}

/** Stores the result of one waiting account on an asset, or of all; returns their number. */
export async function keepOutcome(
  systemUser: string,
  on: { readonly asset: string; readonly username?: string },
  outcome: PushOutcome,
  db: Db,
): Promise<number> {
  const isOne = on.username === undefined ? sql`true` : sql`username = ${on.username}`;
  return settle(
    sql`system_user_id = ${systemUser} and asset_id = ${on.asset} and ${isOne}`,
    outcome,
    db,
  );
}

/**
 * Skips waiting accounts: all, those never pushed, admin users of their asset, or those on assets
 * without the protocol.
 * @returns their number
 */
export async function leaveOut(
  systemUser: string,
  which: 'all' | 'root' | 'admin_user' | { readonly without: string },
  reason: LocalText,
  db: Db,
): Promise<number> {
  const condition =
    which === 'all'
      ? sql`true`
      : which === 'root'
        ? IS_NEVER_PUSHED
        : which === 'admin_user'
          ? sql`exists (select 1 from asset a join admin_user u on u.id = a.admin_user_id
            where a.id = system_user_push.asset_id and u.username = system_user_push.username)`
          : sql`not exists (select 1 from asset a where a.id = asset_id
            and ${which.without} = any (select split_part(p, '/', 1) from unnest(a.protocols) p))`;
  return settle(
    sql`system_user_id = ${systemUser} and ${condition}`,
    { state: 'skipped', reason },
    db,
  );
}

async function settle(
  condition: Sql,
  { state, reason, detail = '', changed = [] }: PushOutcome,
  db: Db,
): Promise<number> {
  const { rowCount } = await sql`
    update system_user_push set state = ${state},
      reason = ${reason ? JSON.stringify(reason) : null}::jsonb, detail = ${detail.slice(0, 1000)},
      changed = ${changed}::text[], date_pushed = now()
      where state = 'waiting' and ${condition}`.execute(db);
  return rowCount;
}
