import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { likePattern } from '../../resources/read/search.ts';
import { userName } from '../../resources/relations/named-objects.ts';
import { type GrantKind, linksOf, ruleIn } from './grants/kind.ts';

/** Returns true if the permission belongs to the organization. */
export async function hasAppRule(
  kind: GrantKind,
  id: string,
  organizationId: string,
  db: Db,
): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(kind.rule)}
      where id = ${id} and org_id = ${organizationId}`.execute(db);
  return rows.length > 0;
}

/**
 * Users of a permission, with `direct` for users it names and `through` for the groups it names.
 */
function usersOf(kind: GrantKind, rule: string): Sql {
  const [users, groups, ruleId] = [
    linksOf(kind, 'users'),
    linksOf(kind, 'user_groups'),
    ruleIn(kind, 'link'),
  ];
  return sql`
    select u.id as "user", ${userName('u')} as user_display,
      exists (select 1 from ${users} link where ${ruleId} = ${rule}
        and link.user_id = u.id) as direct,
      (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) order by g.name),
        '[]') from ${groups} link
        join user_group_users member on member.user_group_id = link.user_group_id
          and member.user_id = u.id join user_group g on g.id = link.user_group_id
        where ${ruleId} = ${rule}) as through
    from account u where u.id in (
      select link.user_id from ${users} link where ${ruleId} = ${rule}
      union select member.user_id from ${groups} link
        join user_group_users member on member.user_group_id = link.user_group_id
      where ${ruleId} = ${rule})`;
}

/**
 * Applications of a permission. Existing clients expect the columns `remoteapp` and `databaseapp`.
 */
function appsOf(kind: GrantKind, rule: string): Sql {
  const word = kind.target.replace('_', '');
  return sql`
    select a.id as ${sql.ref(word)}, a.name as ${sql.ref(`${word}_display`)}, true as direct,
      '[]'::jsonb as through
    from ${sql.table(`${kind.rule}_${kind.target}s`)} link
      join ${sql.table(kind.target)} a on a.id = ${sql.ref(`link.${kind.target}_id`)}
    where ${ruleIn(kind, 'link')} = ${rule}`;
}

/**
 * Lists the users or applications of a permission, ordered by name. With a `limit`, `count` is the
 * total.
 */
export async function namedByAppRule(
  { kind, id: rule }: { readonly kind: GrantKind; readonly id: string },
  what: 'users' | 'apps',
  {
    search,
    limit,
    offset,
  }: { readonly search: string; readonly limit: number | undefined; readonly offset: number },
  db: Db,
): Promise<{ readonly rows: readonly unknown[]; readonly count: number }> {
  const display = what === 'users' ? 'user_display' : `${kind.target.replace('_', '')}_display`;
  const source = sql`from (${what === 'users' ? usersOf(kind, rule) : appsOf(kind, rule)}) source
    where ${sql.ref(display)} ilike ${likePattern(search)}`;
  const { rows } =
    await sql`select * ${source} order by 2 limit ${limit ?? 10_000} offset ${offset}`.execute(db);
  if (limit === undefined) return { rows, count: rows.length };
  const counted = await sql<{ count: number }>`select count(*)::int as count ${source}`.execute(db);
  return { rows, count: counted.rows[0]?.count ?? 0 };
}
