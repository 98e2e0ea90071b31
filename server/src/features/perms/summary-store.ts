import type { PermissionSummary, SomeNames } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../platform/db/database.ts';
import type { Sql } from '../../resources/hooks.ts';

/** The ids of the objects that a permission names, by field. */
export type NamedIds = Readonly<Record<'users' | 'user_groups' | 'assets' | 'nodes' | 'system_users', readonly string[]>>;

/** As many names as a sentence can hold. */
const NAMES = 3;

/** The objects of a table (alias `o`) among some ids that an organization may know. */
const some = (table: string, name: Sql, ids: readonly string[], condition: Sql): Sql => sql`(
  select jsonb_build_object('count', count(*), 'names', coalesce(to_jsonb((array_agg(${name} order by ${name}))[1:${sql.lit(NAMES)}]), '[]'))
  from ${sql.table(table)} o where o.id = any (${ids}::uuid[]) and ${condition})`;

/** What a permission with these objects says: the first names, and how many users and assets are meant. Objects of other organizations are left out. */
export async function summaryOf(named: NamedIds, organization: string, db: Db): Promise<PermissionSummary> {
  const here = sql`o.org_id = ${organization}`;
  const member = organization === '' ? sql`true` : sql`o.id in (select m.user_id from organization_member m where m.organization_id::text = ${organization})`;
  const { rows } = await sql<Record<keyof NamedIds, SomeNames> & { people: number; reached: number }>`
    select ${some('account', sql`o.name`, named.users, member)} as users, ${some('user_group', sql`o.name`, named.user_groups, here)} as user_groups,
      ${some('asset', sql`o.hostname`, named.assets, here)} as assets, ${some('node', sql`o.value`, named.nodes, here)} as nodes,
      ${some('system_account', sql`o.name`, named.system_users, here)} as system_users,
      (select count(*)::int from account o where ${member} and (o.id = any (${named.users}::uuid[]) or o.id in (
        select link.user_id from user_group_users link join user_group o on o.id = link.user_group_id where ${here} and o.id = any (${named.user_groups}::uuid[])))) as people,
      (select count(*)::int from (
        select o.id from asset o where ${here} and o.id = any (${named.assets}::uuid[])
        union select below.asset_id from asset_ancestor below join node o on o.id = below.node_id where ${here} and o.id = any (${named.nodes}::uuid[])) found) as reached`.execute(
    db,
  );
  const [summary] = rows;
  if (!summary) throw new Error('a query for one row answered none');
  return summary;
}
