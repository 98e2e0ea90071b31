import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Sql } from '../../resources/hooks.ts';

/** Assets that are named one by one; more of them are found quickly by walking through the list. */
export const MOST_NAMED = 5_000;

/**
 * The condition on an asset `a` that it is among those of a query for `asset_id`. Few are read first and named, so that the list needs not be walked through for
 * them; of many the list finds enough for a page by looking at each in its order, by the condition `otherwise`.
 */
export async function among(found: Sql, otherwise: Sql, db: Db | Tx): Promise<Sql> {
  const { rows } = await sql<{ asset_id: string }>`select asset_id from (${found}) found limit ${MOST_NAMED + 1}`.execute(db);
  return rows.length > MOST_NAMED ? otherwise : sql`a.id = any (${rows.map((row) => row.asset_id)}::uuid[])`;
}

/** The assets that rules lead to with the system users of a query for their ids. */
export const reachedBy = (systemUsers: Sql): Sql => sql`
  select direct.asset_id from asset_permission_system_users link
    join asset_permission_assets direct on direct.asset_permission_id = link.asset_permission_id where link.system_user_id in (${systemUsers})
  union all
  select below.asset_id from asset_permission_system_users link
    join asset_permission_nodes rule on rule.asset_permission_id = link.asset_permission_id
    join asset_ancestor below on below.node_id = rule.node_id where link.system_user_id in (${systemUsers})`;

/** The assets on which some account has a username for which a condition holds; it gets the expression of the username. */
export const withUsername = (holds: (username: Sql) => Sql, organizationId: string): Sql => sql`
  select r.asset_id from asset_user r where r.org_id = ${organizationId} and ${holds(sql`r.username`)}
  union all
  select other.id from asset other join admin_user u on u.id = other.admin_user_id where u.org_id = ${organizationId} and ${holds(sql`u.username`)}
  union all
  ${reachedBy(sql`
    select s.id from system_account s where s.org_id = ${organizationId} and (
      (not s.username_same_with_user and ${holds(sql`s.username`)})
      or (s.username_same_with_user and exists (select 1 from account p where p.is_active and ${holds(sql`p.username`)})))`)}`;
