import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Sql } from '../../resources/hooks.ts';
import { ORIGINS, type Origin } from './rows.ts';

/** Assets that are named one by one; more of them are found quickly by walking through the list. */
export const MOST_NAMED = 5_000;

/**
 * The condition on an asset `a` that it is among those of a query for `asset_id`. Few are read
 * first and named, so that the list needs not be walked through for them; of many the list finds
 * enough for a page by looking at each in its order, by the condition `otherwise`.
 */
export async function among(found: Sql, otherwise: Sql, db: Db | Tx): Promise<Sql> {
  // The ids go back as they came, as one text; of many none comes.
  const { rows } = await sql<{ ids: string | null }>`
    select case when count(*) <= ${MOST_NAMED}::integer
      then coalesce(array_agg(asset_id)::text, '{}') end as ids
    from (select asset_id from (${found}) found limit ${MOST_NAMED + 1}) named`.execute(db);
  const ids = rows[0]?.ids ?? null;
  return ids === null ? otherwise : sql`a.id = any (${ids}::uuid[])`;
}

/**
 * The origins of which some account has a username for which a condition holds; accounts of others
 * need not be looked for.
 */
export async function originsOf(
  holds: (username: Sql) => Sql,
  organizationId: string,
  db: Db | Tx,
): Promise<Origin[]> {
  const { rows } = await sql<Record<Origin, boolean>>`
    select exists (select 1 from asset_user r
      where r.org_id = ${organizationId} and ${holds(sql`r.username`)}) as db,
      exists (select 1 from admin_user u where u.org_id = ${organizationId}
        and ${holds(sql`u.username`)}) as admin_user,
      exists (select 1 from system_account s where s.org_id = ${organizationId}
        and not s.username_same_with_user and ${holds(sql`s.username`)}) as system_user,
      exists (select 1 from system_account s where s.org_id = ${organizationId}
        and s.username_same_with_user)
        and exists (select 1 from account p where p.is_active
          and ${holds(sql`p.username`)}) as system_user_dynamic`.execute(db);
  return ORIGINS.filter((origin) => rows[0]?.[origin]);
}

/**
 * The condition on an asset `a` that a secret of its own is stored for a username for which a
 * condition holds.
 */
export const withStored = (holds: (username: Sql) => Sql, organizationId: string): Sql =>
  sql`a.id in (select r.asset_id from asset_user r
    where r.org_id = ${organizationId} and ${holds(sql`r.username`)})`;

/** The assets that rules lead to with the system users of a query for their ids. */
export const reachedBy = (systemUsers: Sql): Sql => sql`
  select direct.asset_id from asset_permission_system_users link
    join asset_permission_assets direct on direct.asset_permission_id = link.asset_permission_id
  where link.system_user_id in (${systemUsers})
  union all
  select below.asset_id from asset_permission_system_users link
    join asset_permission_nodes rule on rule.asset_permission_id = link.asset_permission_id
    join asset_ancestor below on below.node_id = rule.node_id
  where link.system_user_id in (${systemUsers})`;

/**
 * The assets on which some account has a username for which a condition holds; it gets the
 * expression of the username.
 */
export const withUsername = (holds: (username: Sql) => Sql, organizationId: string): Sql => sql`
  select r.asset_id from asset_user r where r.org_id = ${organizationId}
    and ${holds(sql`r.username`)}
  union all
  select other.id from asset other join admin_user u on u.id = other.admin_user_id
  where u.org_id = ${organizationId} and ${holds(sql`u.username`)}
  union all
  ${reachedBy(sql`
    select s.id from system_account s where s.org_id = ${organizationId} and (
      (not s.username_same_with_user and ${holds(sql`s.username`)})
      or (s.username_same_with_user
        and exists (select 1 from account p where p.is_active and ${holds(sql`p.username`)})))`)}`;
