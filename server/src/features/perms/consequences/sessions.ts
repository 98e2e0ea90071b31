import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { IN_FORCE } from '../grants/coverage.ts';
import { APP_KINDS, ASSETS, type GrantKind, linksOf, ruleIn } from '../grants/kind.ts';

const ALL = sql`true`;
const UUID = '^[0-9a-f-]{36}$';

/**
 * What a change leaves of the grants: permissions (alias `p`), members of groups (`member`), places
 * of assets below nodes (`above`, `n`).
 */
export interface Left {
  readonly rule?: Sql;
  readonly membership?: Sql;
  readonly place?: Sql;
  /** Assets (by `s.asset_uuid`) that a permission `p` reaches in addition. */
  readonly alsoReached?: Sql;
  /** Sessions that are allowed in addition. */
  readonly alsoAllowed?: Sql;
}

/** What a permission `p` reaches must be what a session (alias `s`) is on. */
function reached(kind: GrantKind, { place = ALL, alsoReached = sql`false` }: Left): Sql {
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

/**
 * Whether a permission of a kind that is in force allows an open session (alias `s`), by what is
 * left of the grants.
 */
function allowed(kind: GrantKind, left: Left): Sql {
  const { rule = ALL, membership = ALL } = left;
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
    ) and ${reached(kind, left)})`;
}

/** All kinds of target: what a change of members concerns. */
const EVERY_KIND: readonly GrantKind[] = [ASSETS, ...APP_KINDS];

/**
 * On which kinds of target users have open sessions in an organization: for most it is none, and
 * then nothing else has to be asked.
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

/**
 * Open sessions of an organization on targets of some kinds that are allowed now, and no longer by
 * what a change leaves.
 */
export function sessionsLosingGrant(
  organizationId: string,
  left: Left,
  kinds: readonly GrantKind[] = [ASSETS],
): Sql {
  const id = (column: string) =>
    sql`case when ${sql.ref(`t.${column}`)} ~ ${UUID} then ${sql.ref(`t.${column}`)}::uuid end`;
  const losing = kinds.map(
    (kind) =>
      sql`(s.target_kind = ${kind.target} and ${allowed(kind, {})}
        and not (${allowed(kind, left)} or ${left.alsoAllowed ?? sql`false`}))`,
  );
  return sql`
    select s.id from (
      select t.id, t.org_id, t.target_kind, ${id('user_id')} as user_uuid,
        ${id('asset_id')} as asset_uuid, ${id('system_user_id')} as system_user_uuid
      from session t where t.org_id = ${organizationId} and not t.is_finished offset 0
    ) s where ${sql.join(losing, sql` or `)}`;
}

/** Open sessions that name one of these objects. */
export function openSessionsOf(
  column: 'user_id' | 'asset_id' | 'system_user_id',
  ids: readonly string[],
): Sql {
  return sql`select t.id from session t where not t.is_finished
    and ${sql.ref(`t.${column}`)} = any (${ids}::text[])`;
}

/** Open sessions on these assets, and on the programs that are on them. */
export function openSessionsOnAssets(assets: readonly string[]): Sql {
  return sql`
    ${openSessionsOf('asset_id', assets)}
    union all
    select t.id from session t where not t.is_finished and t.target_kind = 'remote_app'
      and t.asset_id in (select app.id::text from remote_app app
        where app.asset_id = any (${assets}::uuid[]))`;
}

/** Those of these sessions that are open. */
export function openAmong(ids: readonly string[]): Sql {
  return sql`select t.id from session t where not t.is_finished and t.id = any (${ids}::uuid[])`;
}
