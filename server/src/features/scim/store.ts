import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { Columns } from './conditions.ts';
import type { KnownToken } from './tokens.ts';
import type { GroupRow, UserRow } from './wire.ts';

const text = (value: Sql) => ({ kind: 'text' as const, value });
const exact = (value: Sql) => ({ kind: 'exact' as const, value });
/** Type or primary mark of a value as the provider sent it. */
const mark = (of: 'email' | 'phone', name: 'type' | 'primary', otherwise: string) =>
  sql`case when u.profile ? ${sql.lit(of)} then u.profile #>> ${sql.lit(`{${of},${name}}`)}
    else ${sql.lit(otherwise)} end`;
export const USER_COLUMNS: Columns = {
  id: exact(sql`a.id::text`),
  externalid: exact(sql`u.external_id`),
  username: text(sql`a.username`),
  displayname: text(sql`a.name`),
  'name.formatted': text(sql`a.name`),
  'name.givenname': text(sql`u.profile ->> 'givenName'`),
  'name.familyname': text(sql`u.profile ->> 'familyName'`),
  emails: text(sql`a.email`),
  'emails.value': text(sql`a.email`),
  'emails.type': text(mark('email', 'type', 'work')),
  'emails.primary': { kind: 'boolean', value: sql`(${mark('email', 'primary', 'true')})::boolean` },
  phonenumbers: text(sql`a.phone`),
  'phonenumbers.value': text(sql`a.phone`),
  'phonenumbers.type': text(mark('phone', 'type', 'work')),
  active: { kind: 'boolean', value: sql`a.is_active` },
  'meta.resourcetype': text(sql`'User'::text`),
  'meta.created': { kind: 'time', value: sql`a.date_joined` },
  'meta.lastmodified': { kind: 'time', value: sql`coalesce(u.date_changed, a.date_joined)` },
};

export const GROUP_COLUMNS: Columns = {
  id: exact(sql`g.id::text`),
  externalid: exact(sql`s.external_id`),
  displayname: text(sql`g.name`),
  'meta.resourcetype': text(sql`'Group'::text`),
  'meta.created': { kind: 'time', value: sql`g.date_created` },
  'meta.lastmodified': { kind: 'time', value: sql`s.date_changed` },
};

/** Condition: the account has the source of the token, and the provider has not deleted it. */
export const within = ({ source }: KnownToken) =>
  sql`a.source = ${source} and not coalesce(u.is_deleted, false)`;
export async function findUsers(
  token: KnownToken,
  condition: Sql,
  tail: Sql,
  on: Db | Tx,
): Promise<UserRow[]> {
  const { rows } = await sql<UserRow>`
    select a.id, a.username, a.name, a.email, a.phone, a.is_active, u.external_id,
      coalesce(u.profile, '{}') as profile, a.date_joined as date_created,
      coalesce(u.date_changed, a.date_joined) as date_changed, coalesce((
        select jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) order by g.name)
        from user_group_users m join user_group g on g.id = m.user_group_id
          join scim_group s on s.group_id = g.id and s.source = a.source
        where m.user_id = a.id), '[]') as groups
    from account a left join scim_user u on u.user_id = a.id
      where ${within(token)} and ${condition} ${tail}`.execute(on);
  return rows;
}

export async function findGroups(
  { source }: KnownToken,
  condition: Sql,
  tail: Sql,
  on: Db | Tx,
): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow>`
    select g.id, g.name, s.external_id, g.date_created, s.date_changed, coalesce((
        select jsonb_agg(jsonb_build_object('id', a.id, 'username', a.username) order by a.username)
        from user_group_users m join account a on a.id = m.user_id
          left join scim_user u on u.user_id = a.id
        where m.user_group_id = g.id and a.source = s.source and not coalesce(u.is_deleted, false)),
          '[]') as members
    from user_group g join scim_group s on s.group_id = g.id
      where s.source = ${source} and ${condition} ${tail}`.execute(on);
  return rows;
}

export async function findMembers(
  ids: readonly string[],
  token: KnownToken,
  tx: Tx,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from account a left join scim_user u on u.user_id = a.id
      where ${within(token)} and a.id = any (${[...ids]}::uuid[])`.execute(tx);
  return rows[0]?.count ?? 0;
}

export function sortColumn(name: string, columns: Columns) {
  const path = name.replace(/^urn:[\w:.-]+:/i, '').toLowerCase();
  return Object.hasOwn(columns, path) ? columns[path] : undefined;
}
