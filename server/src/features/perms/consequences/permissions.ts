import { type Sql, sql } from '../../../platform/db/sql.ts';
import { datedAt, IN_FORCE } from '../grants/coverage.ts';

/** Link tables of asset permissions by resource, with the column of the object. */
const LINKS: Readonly<Record<string, readonly [table: string, column: string]>> = {
  user: ['asset_permission_users', 'user_id'],
  user_group: ['asset_permission_user_groups', 'user_group_id'],
  asset: ['asset_permission_assets', 'asset_id'],
  node: ['asset_permission_nodes', 'node_id'],
  system_user: ['asset_permission_system_users', 'system_user_id'],
};

/** Permissions that name one of these objects directly. */
export function permissionsNaming(resource: keyof typeof LINKS, ids: readonly string[]): Sql {
  const [table, column] = LINKS[resource] ?? ['', ''];
  return sql`select link.asset_permission_id as id from ${sql.table(table)} link
    where ${sql.ref(`link.${column}`)} = any (${ids}::uuid[])`;
}

/**
 * Filters permissions to those in force. With `onceActive`, disabled ones within their dates count
 * as well.
 */
export function inForce(rules: Sql, onceActive = false): Sql {
  return sql`select p.id from asset_permission p
    where p.id in (${rules}) and ${onceActive ? datedAt(sql`now()`) : IN_FORCE}`;
}

/** Permissions in force that reach one of these assets with a system user that works there. */
export function permissionsReaching(assets: readonly string[]): Sql {
  return sql`
    select p.id from (
      select link.asset_permission_id as rule_id, link.asset_id from asset_permission_assets link
      where link.asset_id = any (${assets}::uuid[])
      union
      select link.asset_permission_id, above.asset_id from asset_ancestor above
        join asset_permission_nodes link on link.node_id = above.node_id
      where above.asset_id = any (${assets}::uuid[])
    ) place join asset_permission p on p.id = place.rule_id and ${IN_FORCE}
      join asset a on a.id = place.asset_id
    where exists (
      select 1 from asset_permission_system_users link
        join system_account s on s.id = link.system_user_id
      where link.asset_permission_id = p.id
        and exists (select 1 from unnest(a.protocols) offered
        where split_part(offered, '/', 1) = s.protocol))`;
}

/** Active users of these permissions, including those through groups. */
export function usersNamedBy(rules: Sql): Sql {
  return sql`
    select u.id from account u where u.is_active and coalesce(u.date_expired > now(), true)
      and u.id in (
      select link.user_id from asset_permission_users link
      where link.asset_permission_id in (${rules})
      union all
      select member.user_id from asset_permission_user_groups link
        join user_group_users member on member.user_group_id = link.user_group_id
      where link.asset_permission_id in (${rules}))`;
}
