import { actionNames } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { userName } from '../../../resources/object-name.ts';
import { IN_FORCE } from './coverage.ts';
import { ASSETS, type GrantKind, linksOf, ruleIn } from './kind.ts';

/** One reason why a user reaches a target: an asset, or an application. */
export interface GrantPath {
  readonly user: string;
  readonly target: string;
  readonly permission: string;
  readonly permissionName: string;
  readonly validUntil: Date;
  /** The group by which the permission names the user; null when it names the user. */
  readonly group: string | null;
  readonly groupName: string | null;
  /** The node by which the permission reaches the asset; null when it names the target. */
  readonly node: string | null;
  readonly nodeName: string | null;
  /**
   * The system users of the permission that can be used there; without one the target is listed,
   * and nobody can connect.
   */
  readonly accounts: readonly PathAccount[];
}

/** A system user of a permission, with the actions that this permission allows. */
export interface PathAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  readonly mask: number;
}

/** Whether an account (alias `u`) may use anything at all. */
export const IS_VALID_USER: Sql = sql`(u.is_active and coalesce(u.date_expired > now(), true))`;

/**
 * Every way by which these users reach these targets now, by the permissions of one organization.
 * Meant for a page of one and a single one of the other.
 */
export async function pathsBetween(
  users: readonly string[],
  targets: readonly string[],
  organizationId: string,
  db: Db,
  kind: GrantKind = ASSETS,
): Promise<GrantPath[]> {
  const named = sql`${namingUsers(users, kind)}
    join account u on u.id = named.user_id and ${IS_VALID_USER}`;
  return pathsFrom(named, targets, organizationId, db, kind);
}

/** Every way by which the members of a group reach these targets now because of the group. */
export async function pathsOfGroup(
  groupId: string,
  targets: readonly string[],
  organizationId: string,
  db: Db,
  kind: GrantKind = ASSETS,
): Promise<GrantPath[]> {
  const named = sql`(
    select ${ruleIn(kind, 'link')} as rule_id, null::uuid as user_id, link.user_group_id as group_id
    from ${linksOf(kind, 'user_groups')} link
    where link.user_group_id = ${groupId}) named`;
  return pathsFrom(named, targets, organizationId, db, kind);
}

/** The permissions that name users, each with the group by which it does, in the table `named`. */
export function namingUsers(users: readonly string[], kind: GrantKind = ASSETS): Sql {
  const rule = ruleIn(kind, 'link');
  return sql`(
    select ${rule} as rule_id, link.user_id, null::uuid as group_id
    from ${linksOf(kind, 'users')} link where link.user_id = any (${users}::uuid[])
    union all
    select ${rule}, member.user_id, member.user_group_id from user_group_users member
      join ${linksOf(kind, 'user_groups')} link on link.user_group_id = member.user_group_id
    where member.user_id = any (${users}::uuid[])) named`;
}

async function pathsFrom(
  named: Sql,
  targets: readonly string[],
  organizationId: string,
  db: Db,
  kind: GrantKind,
): Promise<GrantPath[]> {
  const { rows } = await sql<GrantPath>`
    with person as materialized (select named.* from ${named}), place
      as materialized (${kind.places((id) => sql`${id} = any (${targets}::uuid[])`)})
    select coalesce(person.user_id::text, '') as "user", a.id as target, p.id as permission,
      p.name as "permissionName", p.date_expired as "validUntil",
      person.group_id as "group", g.name as "groupName", place.node_id as node,
      (select string_agg(above.value, ' / ' order by length(above.key)) from node above
        where above.id = any (n.ancestors)) as "nodeName", usable.accounts
    from person
      join place on place.rule_id = person.rule_id
      join ${sql.table(kind.rule)} p on p.id = person.rule_id and p.org_id = ${organizationId}
      and ${IN_FORCE}
      join ${sql.table(kind.target)} a on a.id = place.target_id and ${kind.isUsable}
      left join user_group g on g.id = person.group_id
      left join node n on n.id = place.node_id
      cross join lateral (
        select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'username',
          s.username, 'protocol', s.protocol, 'mask', ${kind.actions}) order by s.priority, s.name),
          '[]') as accounts
        from ${linksOf(kind, 'system_users')} link
          join system_account s on s.id = link.system_user_id
        where ${ruleIn(kind, 'link')} = p.id and ${kind.isOffered}
      ) usable
    order by p.date_expired desc, p.name, p.id, g.name nulls first, length(n.key) desc`.execute(db);
  return rows;
}

/** The accounts of several paths together: what one permission does not allow, another one may. */
export function accountsOf(paths: readonly GrantPath[]): {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  readonly actions: readonly string[];
}[] {
  const byId = new Map<string, PathAccount>();
  for (const account of paths.flatMap(({ accounts }) => accounts))
    byId.set(account.id, { ...account, mask: account.mask | (byId.get(account.id)?.mask ?? 0) });
  return [...byId.values()].map(({ mask, ...account }) => ({
    ...account,
    actions: actionNames(mask),
  }));
}

/** Which part of a list is wanted, and what its rows must contain. */
export interface PathPage {
  readonly search: string;
  readonly limit: number;
  readonly offset: number;
}

/**
 * A page of the users who reach a target now by the permissions of an organization, by name, and
 * how many there are.
 */
export async function usersReaching(
  targetId: string,
  organizationId: string,
  { search, limit, offset }: PathPage,
  db: Db,
  kind: GrantKind = ASSETS,
): Promise<{
  readonly count: number;
  readonly users: readonly {
    readonly id: string;
    readonly name: string;
    readonly username: string;
  }[];
}> {
  const rule = ruleIn(kind, 'link');
  const { rows } = await sql<{ id: string | null; name: string; username: string; count: number }>`
    with covering as materialized (
      select p.id from ${sql.table(kind.rule)} p, ${sql.table(kind.target)} a
      where a.id = ${targetId} and ${kind.isUsable} and p.org_id = ${organizationId} and ${IN_FORCE}
        and p.id in (select place.rule_id
          from (${kind.places((id) => sql`${id} = ${targetId}`)}) place)
        and exists (
          select 1 from ${linksOf(kind, 'system_users')} link
            join system_account s on s.id = link.system_user_id
          where ${rule} = p.id and ${kind.isOffered})
    ), found as materialized (
      select u.id, u.name, u.username from account u
      where ${IS_VALID_USER} and (${userName('u')}) ilike ${search} and u.id in (
        select link.user_id from ${linksOf(kind, 'users')} link
        where ${rule} in (select id from covering)
        union all
        select member.user_id from ${linksOf(kind, 'user_groups')} link
          join user_group_users member on member.user_group_id = link.user_group_id
        where ${rule} in (select id from covering))
    ), page as (select * from found order by name, id limit ${limit} offset ${offset})
    select page.*, total.count from (select count(*) as count from found) total
      left join page on true order by page.name, page.id`.execute(db);
  return {
    count: rows[0]?.count ?? 0,
    users: rows.flatMap(({ id, name, username }) => (id === null ? [] : [{ id, name, username }])),
  };
}
