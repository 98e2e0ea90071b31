import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { IN_FORCE } from '../grants/coverage.ts';
import { APP_KINDS, ASSETS, type GrantKind, linksOf, ruleIn } from '../grants/kind.ts';

const ALL = sql`true`;
const UUID = '^[0-9a-f-]{36}$';

/**
 * Conditions on the grants that remain after a change: on permissions (alias `p`), group members
 * (`member`) and places of assets below nodes (`above`, `n`).
 */
export interface RemainingGrants {
  readonly rule?: Sql;
  readonly membership?: Sql;
  readonly place?: Sql;
  /** Assets (by `s.asset_uuid`) that a permission `p` newly reaches. */
  readonly alsoReached?: Sql;
  /** Sessions that another permission newly allows. */
  readonly alsoAllowed?: Sql;
}

/** True if a permission `p` reaches the target of a session (alias `s`). */
function reached(kind: GrantKind, { place = ALL, alsoReached = sql`false` }: RemainingGrants): Sql {
  if (kind !== ASSETS)
    return sql`exists (select 1 from (${kind.places((id) => sql`${id} = s.asset_uuid`)}) direct
      where direct.rule_id = p.id)`;
  return sql`(
      exists (select 1 from asset_permission_assets link
        where link.asset_permission_id = p.id and link.asset_id = s.asset_uuid)
      or exists (
        select 1 from asset_permission_nodes link
          join asset_ancestor above on above.node_id = link.node_id
        where link.asset_permission_id = p.id and above.asset_id = s.asset_uuid and ${place})
      or ${alsoReached})`;
}

/** True if a remaining permission of a kind in force allows an open session (alias `s`). */
function allowed(kind: GrantKind, remaining: RemainingGrants): Sql {
  const { rule = ALL, membership = ALL } = remaining;
  return sql`exists (
    select 1 from ${linksOf(kind, 'system_users')} used
      join ${sql.table(kind.rule)} p on p.id = ${ruleIn(kind, 'used')} and p.org_id = s.org_id
      and ${IN_FORCE} and ${rule}
    where used.system_user_id = s.system_user_uuid and (
      exists (select 1 from ${linksOf(kind, 'users')} link
        where ${ruleIn(kind, 'link')} = p.id and link.user_id = s.user_uuid)
      or exists (
        select 1 from ${linksOf(kind, 'user_groups')} link
          join user_group_users member on member.user_group_id = link.user_group_id
        where ${ruleIn(kind, 'link')} = p.id and member.user_id = s.user_uuid and ${membership})
    ) and ${reached(kind, remaining)})`;
}

const EVERY_KIND: readonly GrantKind[] = [ASSETS, ...APP_KINDS];

/**
 * Kinds of target on which these users have open sessions. Usually none, which saves the larger
 * query.
 */
export async function kindsInUse(
  users: readonly string[],
  organizationId: string,
  db: Db,
): Promise<readonly GrantKind[]> {
  const { rows } = await sql<{ kind: string }>`
    select distinct t.target_kind as kind from session t
    where t.org_id = ${organizationId} and not t.is_finished
      and t.user_id = any (${users}::text[])`.execute(db);
  return EVERY_KIND.filter(({ target }) => rows.some(({ kind }) => kind === target));
}

/** Open sessions that the grants allow now and the remaining grants do not. */
export function sessionsLosingGrant(
  organizationId: string,
  remaining: RemainingGrants,
  kinds: readonly GrantKind[] = [ASSETS],
): Sql {
  const id = (column: string) =>
    sql`case when ${sql.ref(`t.${column}`)} ~ ${UUID} then ${sql.ref(`t.${column}`)}::uuid end`;
  const losing = kinds.map(
    (kind) =>
      sql`(s.target_kind = ${kind.target} and ${allowed(kind, {})}
        and not (${allowed(kind, remaining)} or ${remaining.alsoAllowed ?? sql`false`}))`,
  );
  return sql`
    select s.id from (
      select t.id, t.org_id, t.target_kind, ${id('user_id')} as user_uuid,
        ${id('asset_id')} as asset_uuid, ${id('system_user_id')} as system_user_uuid
      from session t where t.org_id = ${organizationId} and not t.is_finished offset 0
    ) s where ${sql.join(losing, sql` or `)}`;
}

export function openSessionsOf(
  column: 'user_id' | 'asset_id' | 'system_user_id',
  ids: readonly string[],
): Sql {
  return sql`select t.id from session t where not t.is_finished
    and ${sql.ref(`t.${column}`)} = any (${ids}::text[])`;
}

/** Open sessions on these assets and on remote apps hosted there. */
export function openSessionsOnAssets(assets: readonly string[]): Sql {
  return sql`
    ${openSessionsOf('asset_id', assets)}
    union all
    select t.id from session t where not t.is_finished and t.target_kind = 'remote_app'
      and t.asset_id in (select app.id::text from remote_app app
        where app.asset_id = any (${assets}::uuid[]))`;
}

/** Filters sessions to the open ones. */
export function openAmong(ids: readonly string[]): Sql {
  return sql`select t.id from session t where not t.is_finished and t.id = any (${ids}::uuid[])`;
}
