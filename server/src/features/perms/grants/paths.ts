import {
  actionNames,
  type ConditionTerms,
  type GeneralObstacle,
  type Obstacle,
} from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { userName } from '../../../resources/relations/named-objects.ts';
import { IN_FORCE, TERMS } from './coverage.ts';
import { ASSETS, type GrantKind, linksOf, type RuleScope, ruleIn } from './kind.ts';

/** A permission that fails to grant a target to a user, with all obstacles. */
interface NearMiss {
  readonly id: string;
  readonly name: string;
  readonly date_start: Date;
  readonly date_expired: Date;
  readonly obstacles: readonly Obstacle[];
  /** Protocols of the permission's system users. */
  readonly spoken: readonly string[];
  /** Protocols of the target with their ports, as text. */
  readonly offered: string;
}

/** Maximum number of permissions in an answer. */
const MOST_NAMED = 5;

/** Obstacles that do not depend on permissions: a disabled or expired user, a disabled target. */
export async function generalObstacles(
  userId: string,
  targetId: string,
  db: Db,
  kind: GrantKind = ASSETS,
): Promise<GeneralObstacle[]> {
  const { rows } = await sql<{ obstacles: GeneralObstacle[] }>`
    select array_remove(array[
      case when not u.is_active then 'user_disabled' end,
      case when u.date_expired <= now() then 'user_expired' end,
      case when not ${kind.isUsable} then 'asset_disabled' end], null) as obstacles
    from account u, ${sql.table(kind.target)} a
    where u.id = ${userId} and a.id = ${targetId}`.execute(db);
  return rows[0]?.obstacles ?? [];
}

/**
 * Permissions of an organization that come closest to granting a target to a user: those that name
 * the user or reach the target. Fewest obstacles come first. Among equals, a disabled or expired
 * permission comes before one that lacks the user or the target.
 */
export async function nearestPermissions(
  userId: string,
  targetId: string,
  { organization, kind = ASSETS }: RuleScope,
  db: Db,
): Promise<NearMiss[]> {
  const { rows } = await sql<NearMiss>`
    with naming as materialized (
      select distinct named.rule_id as id from ${namingUsers([userId], kind)}
    ), reaching as materialized (
      select distinct place.rule_id as id
      from (${kind.places((id) => sql`${id} = ${targetId}`)}) place
    ), judged as (
      select p.id, p.name, p.date_start, p.date_expired, array_remove(array[
        case when not p.is_active then 'disabled' end,
        case when p.date_start > now() then 'not_started' end,
        case when p.date_expired <= now() then 'expired' end,
        case when p.id not in (select id from naming) then 'user' end,
        case when p.id not in (select id from reaching) then 'asset' end,
        case when not exists (
          select 1 from ${linksOf(kind, 'system_users')} link
            join system_account s on s.id = link.system_user_id
          join ${sql.table(kind.target)} a on a.id = ${targetId}
          where ${ruleIn(kind, 'link')} = p.id and ${kind.isOffered}) then 'protocol' end],
            null) as obstacles,
        array(select distinct s.protocol from ${linksOf(kind, 'system_users')} link
          join system_account s on s.id = link.system_user_id
          where ${ruleIn(kind, 'link')} = p.id order by s.protocol) as spoken,
        coalesce((select ${kind.offered} from ${sql.table(kind.target)} a
          where a.id = ${targetId}), '') as offered
      from ${sql.table(kind.rule)} p where p.org_id = ${organization}
        and p.id in (select id from naming union select id from reaching)
    )
    select * from judged where cardinality(obstacles) > 0
    order by cardinality(obstacles), 'asset' = any (obstacles), 'user' = any (obstacles),
      date_expired desc, name, id limit ${MOST_NAMED}`.execute(db);
  return rows;
}

/** One path from a user to a target, which is an asset or an application. */
export interface GrantPath {
  readonly user: string;
  readonly target: string;
  readonly permission: string;
  readonly permissionName: string;
  readonly validUntil: Date;
  /** The condition of the permission; null: none. */
  readonly terms: ConditionTerms | null;
  /** True if reviewers decide on each connection by the permission. */
  readonly needsApproval: boolean;
  /** True if input by the permission waits for a reviewer who watches. */
  readonly needsWatcher: boolean;
  /** The group through which the permission names the user; null if it names the user directly. */
  readonly group: string | null;
  readonly groupName: string | null;
  /**
   * The node through which the permission reaches the asset; null if it names the target directly.
   */
  readonly node: string | null;
  readonly nodeName: string | null;
  /**
   * Usable system users of the permission. Without one the target is listed but cannot be connected
   * to.
   */
  readonly accounts: readonly PathAccount[];
}

/** A system user with the actions that the permission allows. */
export interface PathAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  readonly mask: number;
}

/** Condition: account `u` administers or audits the organization. */
export const mayWatch = (
  organizationId: Sql,
): Sql => sql`(u.role in ('Admin', 'Auditor') or exists (
  select 1 from organization_member m where m.user_id = u.id and m.role in ('Admin', 'Auditor')
    and m.organization_id::text = ${organizationId}))`;

/** True if an account (alias `u`) is active and not expired. */
export const IS_VALID_USER: Sql = sql`(u.is_active and coalesce(u.date_expired > now(), true))`;

/**
 * Returns all current paths from users to targets by the permissions of one organization. One of
 * both lists should have one element, the other at most a page.
 */
export async function pathsBetween(
  users: readonly string[],
  targets: readonly string[],
  scope: RuleScope,
  db: Db,
): Promise<GrantPath[]> {
  const naming = sql`${namingUsers(users, scope.kind)}
    join account u on u.id = named.user_id and ${IS_VALID_USER}`;
  return pathsFrom(naming, targets, scope, db);
}

/** Returns all current paths from a group to targets. */
export async function pathsOfGroup(
  groupId: string,
  targets: readonly string[],
  scope: RuleScope,
  db: Db,
): Promise<GrantPath[]> {
  const { kind = ASSETS } = scope;
  const naming = sql`(
    select ${ruleIn(kind, 'link')} as rule_id, null::uuid as user_id, link.user_group_id as group_id
    from ${linksOf(kind, 'user_groups')} link
    where link.user_group_id = ${groupId}) named`;
  return pathsFrom(naming, targets, scope, db);
}

/** Table `named`: permissions that name users, with the group in between, or null. */
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

/** Only permissions of assets ask for a second person. */
const needsWatcher = ({ rule }: GrantKind): Sql =>
  rule === 'asset_permission' ? sql`p.needs_watcher` : sql`false`;

async function pathsFrom(
  naming: Sql,
  targets: readonly string[],
  { organization, kind = ASSETS }: RuleScope,
  db: Db,
): Promise<GrantPath[]> {
  const { rows } = await sql<GrantPath>`
    with person as materialized (select named.* from ${naming}), place
      as materialized (${kind.places((id) => sql`${id} = any (${targets}::uuid[])`)})
    select coalesce(person.user_id::text, '') as "user", a.id as target, p.id as permission,
      p.name as "permissionName", p.date_expired as "validUntil", ${TERMS} as terms,
      p.needs_approval as "needsApproval", ${needsWatcher(kind)} as "needsWatcher",
      person.group_id as "group", g.name as "groupName", place.node_id as node,
      (select string_agg(above.value, ' / ' order by length(above.key)) from node above
        where above.id = any (n.ancestors)) as "nodeName", usable.accounts
    from person
      join place on place.rule_id = person.rule_id
      join ${sql.table(kind.rule)} p on p.id = person.rule_id and p.org_id = ${organization}
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

/** Merges the system users of several paths; the actions of one are the union over all paths. */
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

export interface PathPage {
  readonly search: string;
  readonly limit: number;
  readonly offset: number;
}

/** Returns a page of the users who reach a target now, by name, and their total. */
export async function usersReaching(
  targetId: string,
  { search, limit, offset }: PathPage,
  { organization, kind = ASSETS }: RuleScope,
  db: Db,
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
      where a.id = ${targetId} and ${kind.isUsable} and p.org_id = ${organization} and ${IN_FORCE}
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
