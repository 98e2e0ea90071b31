import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { ORIGINS, type Origin } from './rows.ts';

/**
 * Up to this number, matching assets are listed by id. More are matches faster by walking the list.
 */
export const MAX_LISTED = 5_000;

/**
 * Condition for an asset `a` that is amongAssets those of a query for `asset_id`. Few ids are read
 * first and listed. For many, `otherwise` is evaluated per asset while the list is walked.
 */
export async function amongAssets(matches: Sql, otherwise: Sql, db: Db | Tx): Promise<Sql> {
  // The ids travel as one text; for many assets it is null.
  const { rows } = await sql<{ ids: string | null }>`
    select case when count(*) <= ${MAX_LISTED}::integer
      then coalesce(array_agg(asset_id)::text, '{}') end as ids
    from (select asset_id from (${matches}) matches limit ${MAX_LISTED + 1}) named`.execute(db);
  const ids = rows[0]?.ids ?? null;
  return ids === null ? otherwise : sql`a.id = any (${ids}::uuid[])`;
}

/** Origins that have an account whose username matches. */
export async function originsOf(
  matchesName: (username: Sql) => Sql,
  organizationId: string,
  db: Db | Tx,
): Promise<Origin[]> {
  const { rows } = await sql<Record<Origin, boolean>>`
    select exists (select 1 from asset_user r
      where r.org_id = ${organizationId} and ${matchesName(sql`r.username`)}) as db,
      exists (select 1 from admin_user u where u.org_id = ${organizationId}
        and ${matchesName(sql`u.username`)}) as admin_user,
      exists (select 1 from system_account s where s.org_id = ${organizationId}
        and not s.username_same_with_user and ${matchesName(sql`s.username`)}) as system_user,
      exists (select 1 from system_account s where s.org_id = ${organizationId}
        and s.username_same_with_user)
        and exists (select 1 from account p where p.is_active
          and ${matchesName(sql`p.username`)}) as system_user_dynamic`.execute(db);
  return ORIGINS.filter((origin) => rows[0]?.[origin]);
}

/** Condition for an asset `a` with a stored secret whose username matches. */
export const withStored = (matchesName: (username: Sql) => Sql, organizationId: string): Sql =>
  sql`a.id in (select r.asset_id from asset_user r
    where r.org_id = ${organizationId} and ${matchesName(sql`r.username`)})`;

/** Query for the assets that permissions reach with system users. */
export const assetsReachedBy = (systemUsers: Sql): Sql => sql`
  select direct.asset_id from asset_permission_system_users link
    join asset_permission_assets direct on direct.asset_permission_id = link.asset_permission_id
  where link.system_user_id in (${systemUsers})
  union all
  select below.asset_id from asset_permission_system_users link
    join asset_permission_nodes rule on rule.asset_permission_id = link.asset_permission_id
    join asset_ancestor below on below.node_id = rule.node_id
  where link.system_user_id in (${systemUsers})`;

/**
 * Query for the assets with an account whose username matches. `matchesName` builds the condition
 * on a username expression.
 */
export const withUsername = (
  matchesName: (username: Sql) => Sql,
  organizationId: string,
): Sql => sql`
  select r.asset_id from asset_user r where r.org_id = ${organizationId}
    and ${matchesName(sql`r.username`)}
  union all
  select other.id from asset other join admin_user u on u.id = other.admin_user_id
  where u.org_id = ${organizationId} and ${matchesName(sql`u.username`)}
  union all
  ${assetsReachedBy(sql`
    select s.id from system_account s where s.org_id = ${organizationId} and (
      (not s.username_same_with_user and ${matchesName(sql`s.username`)})
      or (s.username_same_with_user
        and exists (select 1 from account p where p.is_active
          and ${matchesName(sql`p.username`)})))`)}`;
