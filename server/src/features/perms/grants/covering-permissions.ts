import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { userName } from '../../../resources/relations/named-objects.ts';
import { IN_FORCE, TERMS } from './coverage.ts';
import { type GrantPath, IS_VALID_USER, namingUsers, type PathPage } from './paths.ts';

/**
 * System users (alias `s`) of a permission (alias `p`) that work on an active asset (alias `a`) of
 * a query.
 */
const usableOn = (assets: Sql): Sql => sql`(
  select json_agg(json_build_object('id', s.id, 'name', s.name, 'username', s.username, 'protocol',
    s.protocol, 'mask', p.actions) order by s.priority, s.name)
  from asset_permission_system_users used join system_account s on s.id = used.system_user_id
  where used.asset_permission_id = p.id and exists (
    select 1 from ${assets} and a.is_active
      and exists (select 1 from unnest(a.protocols) offered
      where split_part(offered, '/', 1) = s.protocol)))`;

/**
 * Query for the permissions in force that reach an asset, each with the node that leads there. The
 * node is null if the permission names the asset.
 */
export function coveringAsset(assetId: string, organizationId: string): Sql {
  return sql`
    select p.id as rule_id, place.node_id,
      ${usableOn(sql`asset a where a.id = ${assetId}`)} as accounts from (
      select link.asset_permission_id as rule_id, null::uuid as node_id
      from asset_permission_assets link where link.asset_id = ${assetId}
      union all
      select link.asset_permission_id, above.node_id from asset_ancestor above
        join asset_permission_nodes link on link.node_id = above.node_id
      where above.asset_id = ${assetId}
    ) place join asset_permission p on p.id = place.rule_id and p.org_id = ${organizationId}
      and ${IN_FORCE}`;
}

/**
 * Query for the permissions in force that reach assets at or below a node, each with the node that
 * leads there. The node is null if the permission names an asset.
 */
export function coveringNode(nodeId: string, organizationId: string): Sql {
  const shared = sql`asset_ancestor below join asset a on a.id = below.asset_id
    where below.node_id = place.within
    and (place.also is null or exists (select 1 from asset_ancestor other
      where other.node_id = place.also and other.asset_id = a.id))`;
  const direct = sql`asset_permission_assets link join asset a on a.id = link.asset_id
    join asset_ancestor below on below.asset_id = a.id and below.node_id = ${nodeId}
    where link.asset_permission_id = p.id`;
  return sql`
    select p.id as rule_id, place.node_id, ${usableOn(shared)} as accounts from (
      select link.asset_permission_id as rule_id, link.node_id, meeting.within, meeting.also from (
        -- If one node is above the other, they share the assets of the lower one.
        select n.id, case when n.id = any (top.ancestors) then top.id
          else n.id end as within, null::uuid as also
        from node top join node n on n.id = any (top.ancestors) or top.id = any (n.ancestors)
        where top.id = ${nodeId}
        union all
        -- Otherwise they share the assets that are placed below both.
        select n.id, top.id, n.id from node top, node n
        where top.id = ${nodeId} and not (n.id = any (top.ancestors) or top.id = any (n.ancestors))
          and n.id in (
          select other.node_id from asset_ancestor below
            join asset_ancestor other on other.asset_id = below.asset_id
          where below.node_id = ${nodeId})
      ) meeting join asset_permission_nodes link on link.node_id = meeting.id
    ) place join asset_permission p on p.id = place.rule_id and p.org_id = ${organizationId}
      and ${IN_FORCE}
    union all
    select p.id, null::uuid, ${usableOn(direct)} from asset_permission p
    where p.org_id = ${organizationId} and ${IN_FORCE} and p.id in (
      select link.asset_permission_id from asset_ancestor below
        join asset_permission_assets link on link.asset_id = below.asset_id
      where below.node_id = ${nodeId})`;
}

/** Query for the permissions in force that allow a system user on some asset. */
export function coveringAccount(accountId: string, organizationId: string): Sql {
  const isUsable = sql`a.is_active
    and exists (select 1 from unnest(a.protocols) offered
    where split_part(offered, '/', 1) = s.protocol)`;
  return sql`
    select p.id as rule_id, null::uuid as node_id,
      json_build_array(json_build_object('id', s.id, 'name', s.name, 'username', s.username,
        'protocol', s.protocol, 'mask', p.actions)) as accounts
    from system_account s join asset_permission_system_users used on used.system_user_id = s.id
      join asset_permission p on p.id = used.asset_permission_id and p.org_id = ${organizationId}
      and ${IN_FORCE}
    where s.id = ${accountId} and (
      exists (select 1 from asset_permission_assets link join asset a on a.id = link.asset_id
        where link.asset_permission_id = p.id and ${isUsable})
      or exists (
        select 1 from asset_permission_nodes link
          join asset_ancestor below on below.node_id = link.node_id
        join asset a on a.id = below.asset_id
        where link.asset_permission_id = p.id and ${isUsable}))`;
}

/** Defines the table `covering`, without permissions that have no usable system user. */
export const withCovering = (covering: Sql) =>
  sql`with found as (${covering}), covering
    as materialized (select * from found where accounts is not null)`;

/** Returns a page of the users that covering permissions name, by name, and their total. */
export async function usersCovered(
  covering: Sql,
  { search, limit, offset }: PathPage,
  db: Db,
): Promise<{
  readonly count: number;
  readonly users: readonly {
    readonly id: string;
    readonly name: string;
    readonly username: string;
  }[];
}> {
  const { rows } = await sql<{
    id: string | null;
    name: string;
    username: string;
    count: number;
  }>`${withCovering(covering)}, person as materialized (
      select u.id, u.name, u.username from account u
      where ${IS_VALID_USER} and (${userName('u')}) ilike ${search} and u.id in (
        select link.user_id from asset_permission_users link
        where link.asset_permission_id in (select rule_id from covering)
        union all
        select member.user_id from asset_permission_user_groups link
          join user_group_users member on member.user_group_id = link.user_group_id
        where link.asset_permission_id in (select rule_id from covering))
    ), page as (select * from person order by name, id limit ${limit} offset ${offset})
    select page.*, total.count from (select count(*) as count from person) total
      left join page on true order by page.name, page.id`.execute(db);
  return {
    count: rows[0]?.count ?? 0,
    users: rows.flatMap(({ id, name, username }) => (id === null ? [] : [{ id, name, username }])),
  };
}

/** Paths by which covering permissions name these users, with group and node. */
export async function pathsCovered(
  covering: Sql,
  users: readonly string[],
  db: Db,
): Promise<GrantPath[]> {
  const { rows } = await sql<GrantPath>`${withCovering(covering)}, person
      as materialized (select named.* from ${namingUsers(users)})
    select person.user_id as "user", '' as target, p.id as permission, p.name as "permissionName",
      p.date_expired as "validUntil", ${TERMS} as terms, p.needs_approval as "needsApproval",
        p.needs_watcher as "needsWatcher",
      person.group_id as "group", g.name as "groupName", covering.node_id as node,
      (select string_agg(above.value, ' / ' order by length(above.key)) from node above
        where above.id = any (n.ancestors)) as "nodeName", covering.accounts
    from covering join person on person.rule_id = covering.rule_id
      join asset_permission p on p.id = covering.rule_id
      left join user_group g on g.id = person.group_id left join node n on n.id = covering.node_id
    order by p.date_expired desc, p.name, p.id, g.name nulls first, length(n.key) desc`.execute(db);
  return rows;
}
