import { sql } from 'kysely';
import type { Sql } from '../../../resources/hooks.ts';
import { IN_FORCE } from '../grants/coverage.ts';

const ALL = sql`true`;
const UUID = '^[0-9a-f-]{36}$';

/** What a change leaves of the grants: permissions (alias `p`), members of groups (`member`), places of assets below nodes (`above`, `n`). */
export interface Left {
  readonly rule?: Sql;
  readonly membership?: Sql;
  readonly place?: Sql;
  /** Assets (by `s.asset_uuid`) that a permission `p` reaches in addition. */
  readonly alsoReached?: Sql;
  /** Sessions that are allowed in addition. */
  readonly alsoAllowed?: Sql;
}

/** Whether a permission in force allows an open session (alias `s`), by what is left of the grants. */
function allowed({ rule = ALL, membership = ALL, place = ALL, alsoReached = sql`false` }: Left): Sql {
  return sql`exists (
    select 1 from asset_permission_system_users used join asset_permission p on p.id = used.asset_permission_id and p.org_id = s.org_id and ${IN_FORCE} and ${rule}
    where used.system_user_id = s.system_user_uuid and (
      exists (select 1 from asset_permission_users link where link.asset_permission_id = p.id and link.user_id = s.user_uuid)
      or exists (
        select 1 from asset_permission_user_groups link join user_group_users member on member.user_group_id = link.user_group_id
        where link.asset_permission_id = p.id and member.user_id = s.user_uuid and ${membership})
    ) and (
      exists (select 1 from asset_permission_assets link where link.asset_permission_id = p.id and link.asset_id = s.asset_uuid)
      or exists (
        select 1 from asset_permission_nodes link join asset_ancestor above on above.node_id = link.node_id
        where link.asset_permission_id = p.id and above.asset_id = s.asset_uuid and ${place})
      or ${alsoReached}))`;
}

/** Open sessions of an organization that are allowed now, and no longer by what a change leaves. `among` narrows them over alias `t`. */
export function sessionsLosingGrant(organizationId: string, left: Left, among: Sql = ALL): Sql {
  const id = (column: string) => sql`case when ${sql.ref(`t.${column}`)} ~ ${UUID} then ${sql.ref(`t.${column}`)}::uuid end`;
  return sql`
    select s.id from (
      select t.id, t.org_id, ${id('user_id')} as user_uuid, ${id('asset_id')} as asset_uuid, ${id('system_user_id')} as system_user_uuid
      from session t where t.org_id = ${organizationId} and not t.is_finished and ${among} offset 0
    ) s where ${allowed({})} and not (${allowed(left)} or ${left.alsoAllowed ?? sql`false`})`;
}

/** Open sessions that name one of these objects. */
export function openSessionsOf(column: 'user_id' | 'asset_id' | 'system_user_id', ids: readonly string[]): Sql {
  return sql`select t.id from session t where not t.is_finished and ${sql.ref(`t.${column}`)} = any (${ids}::text[])`;
}

/** Those of these sessions that are open. */
export function openAmong(ids: readonly string[]): Sql {
  return sql`select t.id from session t where not t.is_finished and t.id = any (${ids}::uuid[])`;
}
