import type { ConditionTerms } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { IN_FORCE, TERMS } from './coverage.ts';
import { withCovering } from './covering-permissions.ts';
import { INACTIVE, inactiveBelow } from './inactive.ts';
import { IS_VALID_USER, namingUsers, type PathAccount } from './paths.ts';

/** A path from a permission to users or assets, with the number of these. */
export interface GrantBranch {
  readonly permission: string;
  readonly permissionName: string;
  readonly validUntil: Date;
  readonly terms: ConditionTerms | null;
  readonly needsApproval: boolean;
  /** True if input by the permission waits for a reviewer who watches. */
  readonly needsWatcher: boolean;
  readonly group: string | null;
  readonly groupName: string | null;
  readonly node: string | null;
  readonly nodeName: string | null;
  readonly accounts: readonly PathAccount[];
  readonly count: number;
}

export interface Part {
  readonly limit: number;
  readonly offset: number;
}

interface Branches {
  readonly count: number;
  readonly branches: readonly GrantBranch[];
}

const NODE_NAME = sql`(select string_agg(above.value, ' / ' order by length(above.key))
  from node above where above.id = any (n.ancestors))`;

/**
 * Reads a page of branches, ordered by permission, and their total. `branches` selects the columns
 * of `GrantBranch` without names; `source` is the `with` clause it needs.
 */
async function readBranches(
  source: Sql,
  branches: Sql,
  { limit, offset }: Part,
  db: Db,
): Promise<Branches> {
  const { rows } = await sql<
    GrantBranch & { total: number }
  >`${source}, branch as materialized (${branches}),
    total as (select count(*) as total from branch),
    page as (
      select branch.*, p.name as "permissionName", p.date_expired as "validUntil",
        ${TERMS} as terms, p.needs_approval as "needsApproval",
        p.needs_watcher as "needsWatcher", g.name as "groupName",
        ${NODE_NAME} as "nodeName", length(n.key) as depth
      from branch join asset_permission p on p.id = branch.permission
        left join user_group g on g.id = branch."group" left join node n on n.id = branch.node
      order by p.name, p.id, g.name nulls first, depth nulls first, n.key
      limit ${limit} offset ${offset})
    select * from total left join page on true
    order by "permissionName", permission, "groupName" nulls first, depth nulls first,
      "nodeName"`.execute(db);
  return {
    count: rows[0]?.total ?? 0,
    branches: rows.filter(({ permission }) => permission !== null),
  };
}

/** Branches from covering permissions to the users they name, directly or through a group. */
export function branchesToUsers(covering: Sql, part: Part, db: Db): Promise<Branches> {
  const branches = sql`
    select covering.rule_id as permission, via.group_id as "group", covering.node_id as node,
      covering.accounts, via.count from covering cross join lateral (
      select null::uuid as group_id, count(*) as count from asset_permission_users link
        join account u on u.id = link.user_id and ${IS_VALID_USER}
      where link.asset_permission_id = covering.rule_id
      union all
      select link.user_group_id, count(*) from asset_permission_user_groups link
        join user_group_users member on member.user_group_id = link.user_group_id
        join account u on u.id = member.user_id and ${IS_VALID_USER}
      where link.asset_permission_id = covering.rule_id group by 1
    ) via where via.count > 0`;
  return readBranches(withCovering(covering), branches, part, db);
}

/**
 * Branches from permissions that name a user or group to the assets they reach, directly or through
 * a node.
 */
export function branchesToAssets(
  subject: { readonly user: string } | { readonly group: string },
  organizationId: string,
  part: Part,
  db: Db,
): Promise<Branches> {
  const naming =
    'user' in subject
      ? sql`select named.rule_id, named.group_id from ${namingUsers([subject.user])}
        join account u on u.id = named.user_id and ${IS_VALID_USER}`
      : sql`select link.asset_permission_id as rule_id, link.user_group_id as group_id
        from asset_permission_user_groups link where link.user_group_id = ${subject.group}`;
  const source = sql`with person as materialized (
      select named.* from (${naming}) named join asset_permission p on p.id = named.rule_id
        and p.org_id = ${organizationId} and ${IN_FORCE}
    ), whole as materialized (
      select n.id, n.assets_amount from node n where n.id in (select link.node_id from person
        join asset_permission_nodes link on link.asset_permission_id = person.rule_id)
    ), inactive as materialized (${INACTIVE}),
    inactive_below as materialized (${inactiveBelow()})`;
  const branches = sql`
    select person.rule_id as permission, person.group_id as "group", via.node_id as node, via.count,
      (
      select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'username', s.username,
        'protocol', s.protocol, 'mask', p.actions) order by s.priority, s.name), '[]')
      from asset_permission p join asset_permission_system_users used
        on used.asset_permission_id = p.id join system_account s on s.id = used.system_user_id
      where p.id = person.rule_id) as accounts
    from person cross join lateral (
      select null::uuid as node_id, count(*) as count from asset_permission_assets link
        join asset a on a.id = link.asset_id and a.is_active
      where link.asset_permission_id = person.rule_id
      union all
      select whole.id, whole.assets_amount - coalesce(inactive_below.amount, 0)
      from asset_permission_nodes link join whole on whole.id = link.node_id
        left join inactive_below on inactive_below.id = whole.id
      where link.asset_permission_id = person.rule_id
    ) via where via.count > 0`;
  return readBranches(source, branches, part, db);
}

interface Leaves<Leaf> {
  readonly count: number;
  readonly leaves: readonly Leaf[];
}

/** Active users that a permission names directly, or through `group`, by name. */
export async function usersOfBranch(
  permission: string,
  group: string | null,
  { limit, offset }: Part,
  db: Db,
): Promise<Leaves<{ id: string; name: string; username: string }>> {
  const members = group
    ? sql`select member.user_id from asset_permission_user_groups link
      join user_group_users member on member.user_group_id = link.user_group_id
        where link.asset_permission_id = ${permission} and link.user_group_id = ${group}`
    : sql`select link.user_id from asset_permission_users link
      where link.asset_permission_id = ${permission}`;
  const { rows } = await sql<{ id: string | null; name: string; username: string; total: number }>`
    with found as materialized (select u.id, u.name, u.username from account u
      where ${IS_VALID_USER} and u.id in (${members})),
      page as (select * from found order by name, id limit ${limit} offset ${offset})
    select page.*, total.total from (select count(*) as total from found) total
      left join page on true order by page.name, page.id`.execute(db);
  return {
    count: rows[0]?.total ?? 0,
    leaves: rows.flatMap(({ id, name, username }) => (id === null ? [] : [{ id, name, username }])),
  };
}

/**
 * Above this count a page is read by walking the name index. Below it, the assets are gathered and
 * sorted.
 */
const MANY = 5_000;

/** Active assets that a permission names directly, or reaches through `node`, by host name. */
export async function assetsOfBranch(
  permission: string,
  node: string | null,
  { limit, offset }: Part,
  db: Db,
): Promise<Leaves<{ id: string; hostname: string; ip: string }>> {
  const count = node ? await countBelow(permission, node, db) : undefined;
  const reached = node
    ? sql`select below.asset_id from asset_permission_nodes link
      join asset_ancestor below on below.node_id = link.node_id
        where link.asset_permission_id = ${permission} and link.node_id = ${node}`
    : sql`select link.asset_id from asset_permission_assets link
      where link.asset_permission_id = ${permission}`;
  const order = sql`order by a.hostname, a.id limit ${limit} offset ${offset}`;
  if (count !== undefined && count > MANY) {
    const { rows } = await sql<{
      id: string;
      hostname: string;
      ip: string;
    }>`select a.id, a.hostname, a.ip from asset a
      where a.org_id = (select p.org_id from asset_permission p where p.id = ${permission})
        and a.is_active
        and exists (select 1 from asset_ancestor below
          where below.asset_id = a.id and below.node_id = ${node} offset 0) ${order}`.execute(db);
    return { count, leaves: rows };
  }
  const { rows } = await sql<{ id: string | null; hostname: string; ip: string; total: number }>`
    with found as materialized (select a.id, a.hostname, a.ip from asset a
      where a.is_active and a.id in (${reached})), page as (select * from found a ${order})
    select page.*, total.total from (select count(*) as total from found) total
      left join page on true order by page.hostname, page.id`.execute(db);
  return {
    count: rows[0]?.total ?? 0,
    leaves: rows.flatMap(({ id, hostname, ip }) => (id === null ? [] : [{ id, hostname, ip }])),
  };
}

/** Counts the active assets at or below a node; 0 if the permission does not name the node. */
async function countBelow(permission: string, node: string, db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with whole as materialized (
      select n.id, n.assets_amount from node n join asset_permission_nodes link
        on link.node_id = n.id and link.asset_permission_id = ${permission} where n.id = ${node}
    ), inactive as materialized (${INACTIVE}),
    inactive_below as materialized (${inactiveBelow()})
    select whole.assets_amount - coalesce(inactive_below.amount, 0) as count
    from whole left join inactive_below using (id)`.execute(db);
  return rows[0]?.count ?? 0;
}
