import type { Db, Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import {
  APP_KINDS,
  ASSETS,
  type GrantKind,
  IN_FORCE,
  linksOf,
  ruleIn,
  rulesNaming,
} from '../../perms/index.ts';

/** Number of recent sessions that tell which accounts the user worked with. */
const LAST_SESSIONS = 1_000;
/** Maximum accounts in a response. */
const MOST_ACCOUNTS = 200;
const UUID = '^[0-9a-f-]{36}$';

/** An organization id, or undefined for all organizations. */
export type Within = string | undefined;

const inside = (column: Sql, within: Within): Sql =>
  within === undefined ? sql`true` : sql`${column} = ${within}`;

/** An object of an organization with its name. */
export interface Named {
  readonly id: string;
  readonly name: string;
  readonly org_id: string;
}

/** Returns the groups of a user. */
export async function groupsOf(
  userId: string,
  within: Within,
  db: Db | Tx,
): Promise<readonly Named[]> {
  const { rows } = await sql<Named>`
    select g.id, g.name, g.org_id
    from user_group_users member join user_group g on g.id = member.user_group_id
    where member.user_id = ${userId} and ${inside(sql`g.org_id`, within)}
    order by g.name, g.id`.execute(db);
  return rows;
}

/** A permission with its resource. */
export interface NamedPermission extends Named {
  readonly resource: GrantKind['rule'];
}

const KINDS: readonly GrantKind[] = [ASSETS, ...APP_KINDS];

/** Returns the permissions of every kind that name a user. */
export async function permissionsOf(
  userId: string,
  within: Within,
  db: Db | Tx,
): Promise<readonly NamedPermission[]> {
  const ofKind = (kind: GrantKind) => sql`
    select p.id, p.name, p.org_id, ${kind.rule}::text as resource
    from ${linksOf(kind, 'users')} link
    join ${sql.table(kind.rule)} p on p.id = ${ruleIn(kind, 'link')}
    where link.user_id = ${userId} and ${inside(sql`p.org_id`, within)}`;
  const { rows } = await sql<NamedPermission>`
    select * from (${sql.join(KINDS.map(ofKind), sql` union all `)}) named
    order by name, id`.execute(db);
  return rows;
}

/** Returns the asset names of a user's open sessions. */
export async function openSessionsOf(
  userId: string,
  within: Within,
  db: Db | Tx,
): Promise<readonly string[]> {
  const { rows } = await sql<{ asset: string }>`
    select t.asset from session t
    where t.user_id = ${userId} and not t.is_finished and ${inside(sql`t.org_id`, within)}
    order by t.asset`.execute(db);
  return rows.map(({ asset }) => asset);
}

/** Returns the number of sign-ins and access keys of an account, and true if it has an SSH key. */
export async function accessOf(
  userId: string,
  db: Db | Tx,
): Promise<{
  readonly sign_ins: number;
  readonly access_keys: number;
  readonly public_key: boolean;
}> {
  const { rows } = await sql<{ sign_ins: number; access_keys: number; public_key: boolean }>`
    select (
        select count(*)::int from web_session s
        where s.user_id = t.id and s.date_expired > now()
      ) as sign_ins,
      (select count(*)::int from access_key k where k.user_id = t.id) as access_keys,
      exists (select from ssh_key k where k.user_id = t.id) as public_key
    from account t where t.id = ${userId}`.execute(db);
  return rows[0] ?? { sign_ins: 0, access_keys: 0, public_key: false };
}

/** An account on assets that a user shares with others. */
export interface StoredSharedAccount extends Named {
  readonly username: string;
  readonly protocol: string;
  readonly organization: string;
  readonly date_last: Date | null;
}

/**
 * Returns accounts on assets that a user may use or worked with recently, except accounts named
 * like the user.
 */
export async function sharedAccountsOf(
  userId: string,
  within: Within,
  here: string,
  db: Db | Tx,
): Promise<readonly StoredSharedAccount[]> {
  const { rows } = await sql<StoredSharedAccount>`
    with used as (
      select last.system_user_id::uuid as id, max(last.date_start) as date_last from (
        select system_user_id, date_start from session where user_id = ${userId}
        order by date_start desc limit ${LAST_SESSIONS}) last
      where last.system_user_id ~ ${UUID} group by 1
    ), granted as (
      ${sql.join(
        KINDS.map(
          (kind) => sql`
            select link.system_user_id as id from ${sql.table(kind.rule)} p
            join ${linksOf(kind, 'system_users')} link on ${ruleIn(kind, 'link')} = p.id
            where p.id in ${rulesNaming(userId, false, kind)} and ${IN_FORCE}`,
        ),
        sql` union `,
      )}
    )
    select s.id, s.name, s.username, s.protocol, s.org_id, used.date_last,
      case when s.org_id = ${here} then ''
        when s.org_id = '' then 'DEFAULT'
        else (select o.name from organization o where o.id::text = s.org_id)
      end as organization
    from system_account s left join used on used.id = s.id
    where not s.username_same_with_user and ${inside(sql`s.org_id`, within)}
      and (used.id is not null or s.id in (select id from granted))
    order by used.date_last desc nulls last, s.name, s.id limit ${MOST_ACCOUNTS}`.execute(db);
  return rows;
}

/** Removes a user from groups. */
export async function leaveGroups(
  userId: string,
  groups: readonly string[],
  tx: Tx,
): Promise<void> {
  await sql`
    delete from user_group_users
    where user_id = ${userId} and user_group_id = any (${groups}::uuid[])`.execute(tx);
}
