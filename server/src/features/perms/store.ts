import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { containsWords, likePattern, wordsOf } from '../../resources/read/search.ts';
import { userName } from '../../resources/relations/named-objects.ts';
import type { GrantKind } from './grants/kind.ts';

/** Matches no asset. */
export const NO_ASSET = sql`false`;
export const ASSET_ID = sql`a.id`;

export function isAsset(id: string): Sql {
  return sql`a.id = ${id}`;
}

/** Restricts a list of granted assets in addition to the query string. */
export interface Narrowing {
  /** Over alias `a`. */
  readonly condition: Sql;
  /**
   * Set for a node: a cache key and a query for the ids of its assets. Counts for it depend on
   * grants only and are cached.
   */
  readonly place?: { readonly name: string; readonly ids: Sql };
}

/** True if what is computed for a narrowing depends on grants only, so a view may remember it. */
export const isRemembered = (narrowing: Narrowing | undefined): boolean =>
  !narrowing || narrowing.place !== undefined;

/** Restricts a list to the assets on a node, or on and below it. */
export function onNode(nodeId: string, withBelow: boolean): Narrowing {
  const ids = withBelow
    ? sql`select below.asset_id from asset_ancestor below where below.node_id = ${nodeId}::uuid`
    : sql`select held.asset_id from node_assets held where held.node_id = ${nodeId}::uuid`;
  return {
    condition: sql`a.id in (${ids})`,
    place: { name: `${withBelow ? 'below' : 'on'} ${nodeId}`, ids },
  };
}

/** Search text of a request, at most 256 characters. */
export function searchText(query: URLSearchParams): string {
  return (query.get('search') ?? '').replaceAll('\u0000', '').slice(0, 256);
}

/** True if the search text of an asset (alias `a`) contains a term. */
export function matchesTerm(term: string): Sql {
  return sql`a.search_text like ${likePattern(term)}`;
}

/**
 * Conditions for all search terms (alias `a`). `only` states that no other condition restricts the
 * query.
 */
export function matchesTerms(terms: readonly string[], only = false): Sql[] {
  return containsWords(terms, sql`a.search_text`, true, only);
}

/** True if an asset (`a`) contains a term, or has the label that a term `name:value` names. */
function matchesTermOrLabel(term: string): Sql {
  const [, name, value] = /^([^:]+):(.+)$/.exec(term) ?? [];
  if (name === undefined || value === undefined) return matchesTerm(term);
  return sql`(${matchesTerm(term)} or exists (select from label_assets la
    join label l on l.id = la.label_id where la.asset_id = a.id and l.is_active
      and lower(l.name) = ${name} and lower(l.value) = ${value}))`;
}

/** True if an asset (alias `a`) contains all terms of a search, or has the labels they name. */
export function matchesSearch(search: string): Sql {
  return sql.join(
    [sql`true`, ...wordsOf(search.replaceAll('\u0000', '')).map(matchesTermOrLabel)],
    sql` and `,
  );
}

/** Returns the key of a node; undefined if no such node exists. */
export async function keyOfNode(id: string, db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ key: string }>`select key from node where id = ${id}`.execute(db);
  return rows[0]?.key;
}

/** Returns true if the permission belongs to the organization. */
export async function hasRule(id: string, organizationId: string, db: Db): Promise<boolean> {
  const { rows } = await sql`select 1 from asset_permission where id = ${id}
      and org_id = ${organizationId}`.execute(db);
  return rows.length > 0;
}

const usersOf = (ruleId: string) => sql`(
  select u.id as "user", ${userName('u')} as user_display,
    exists (select 1 from asset_permission_users link
      where link.asset_permission_id = ${ruleId} and link.user_id = u.id) as direct,
    (select coalesce(jsonb_agg(jsonb_build_object('id', g.id, 'name', g.name) order by g.name),
      '[]') from asset_permission_user_groups link
      join user_group_users member on member.user_group_id = link.user_group_id
        and member.user_id = u.id join user_group g on g.id = link.user_group_id
      where link.asset_permission_id = ${ruleId}) as through
  from account u where u.id in (
    select link.user_id from asset_permission_users link where link.asset_permission_id = ${ruleId}
    union select member.user_id from asset_permission_user_groups link
      join user_group_users member on member.user_group_id = link.user_group_id
    where link.asset_permission_id = ${ruleId}))`;
const assetsOf = (ruleId: string) => sql`(
  select a.id as asset, a.hostname || '(' || a.ip || ')' as asset_display,
    exists (select 1 from asset_permission_assets link
      where link.asset_permission_id = ${ruleId} and link.asset_id = a.id) as direct,
    (select coalesce(jsonb_agg(jsonb_build_object('id', n.id, 'name', n.value) order by n.value),
      '[]') from asset_permission_nodes link
      join asset_ancestor above on above.node_id = link.node_id and above.asset_id = a.id
      join node n on n.id = link.node_id
      where link.asset_permission_id = ${ruleId}) as through
  from asset a where a.id in (
    select link.asset_id from asset_permission_assets link
    where link.asset_permission_id = ${ruleId}
    union select below.asset_id from asset_permission_nodes link
      join asset_ancestor below on below.node_id = link.node_id
    where link.asset_permission_id = ${ruleId}))`;

export type Reached = 'users' | 'assets';

/**
 * Lists the users or assets of a permission, including those through groups and nodes, by name.
 * With a `limit`, `count` is the total.
 */
export async function reachedBy(
  ruleId: string,
  what: Reached,
  {
    search,
    limit,
    offset,
  }: { readonly search: string; readonly limit: number | undefined; readonly offset: number },
  db: Db,
): Promise<{ readonly rows: readonly unknown[]; readonly count: number }> {
  const source = what === 'users' ? usersOf(ruleId) : assetsOf(ruleId);
  const display = what === 'users' ? 'user_display' : 'asset_display';
  const matches = sql`from ${source} match where ${sql.ref(display)} ilike ${likePattern(search)}`;
  const { rows } =
    await sql`select * ${matches} order by 2 limit ${limit ?? 10_000} offset ${offset}`.execute(db);
  if (limit === undefined) return { rows, count: rows.length };
  const counted = await sql<{ count: number }>`select count(*) as count ${matches}`.execute(db);
  return { rows, count: counted.rows[0]?.count ?? 0 };
}

export type FavoriteKind = Exclude<GrantKind['target'], 'cluster'>;

/** Ids of a user's favorites of one kind, oldest first. */
export async function favoritesOf(userId: string, kind: FavoriteKind, db: Db): Promise<string[]> {
  const { rows } = await sql<{
    id: string;
  }>`select ${sql.ref(`${kind}_id`)} as id from ${sql.table(`favorite_${kind}`)}
    where user_id = ${userId} order by date_created`.execute(db);
  return rows.map(({ id }) => id);
}

export async function addFavorite(
  userId: string,
  kind: FavoriteKind,
  id: string,
  db: Db,
): Promise<void> {
  const statements = {
    asset: () =>
      sql`insert into favorite_asset (user_id, asset_id) values (${userId}, ${id})
        on conflict do nothing`,
    remote_app: () =>
      sql`insert into favorite_remote_app (user_id, remote_app_id) values (${userId}, ${id})
        on conflict do nothing`,
    database_app: () =>
      sql`insert into favorite_database_app (user_id, database_app_id) values (${userId}, ${id})
        on conflict do nothing`,
  };
  await statements[kind]().execute(db);
}

export async function removeFavorite(
  userId: string,
  kind: FavoriteKind,
  id: string,
  db: Db,
): Promise<void> {
  const statements = {
    asset: () => sql`delete from favorite_asset where user_id = ${userId} and asset_id = ${id}`,
    remote_app: () =>
      sql`delete from favorite_remote_app where user_id = ${userId} and remote_app_id = ${id}`,
    database_app: () =>
      sql`delete from favorite_database_app where user_id = ${userId} and database_app_id = ${id}`,
  };
  await statements[kind]().execute(db);
}

/** Removes a user from all permissions of an organization. */
export async function removeFromRules(
  userId: string,
  organizationId: string,
  tx: Tx,
): Promise<void> {
  await sql`
    delete from asset_permission_users where user_id = ${userId}
      and asset_permission_id in (select id from asset_permission
        where org_id = ${organizationId})`.execute(tx);
  await sql`
    delete from remote_app_permission_users where user_id = ${userId}
      and remote_app_permission_id in (select id from remote_app_permission
        where org_id = ${organizationId})`.execute(tx);
  await sql`
    delete from database_app_permission_users where user_id = ${userId}
      and database_app_permission_id in (select id from database_app_permission
        where org_id = ${organizationId})`.execute(tx);
}
