import { isUuid, type Resource } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { MountedResource } from '../../resources/hooks.ts';
import { allOf, scopeOf } from '../../resources/read/scope.ts';
import { containsWords, likePattern, pinyinPattern } from '../../resources/read/search.ts';
import { favoritesOf, matchesTerms } from '../perms/index.ts';

/** Maximum stored uses of a user. The oldest are deleted. */
const MOST_USES = 200;
/** Latest sessions of a user that count as use of their assets. */
const LAST_SESSIONS = 100;
/** Maximum ranked rows of a kind with a matching title prefix, and with a match anywhere. */
export const BEGINNING = 20;
export const CONTAINING = 40;

export interface Use {
  readonly kind: string;
  readonly id: string;
  readonly times: number;
  readonly date: Date;
}

/** Objects that a user opened recently, and assets that the user connected to. */
export async function usesOf(userId: string, db: Db): Promise<readonly Use[]> {
  // Grouped by organization to use the index of sessions by user. Otherwise PostgreSQL scans the
  // newest sessions of all users.
  const { rows } = await sql<Use>`
    select kind, object_id::text as id, times, date_last as date from search_use
      where user_id = ${userId}
    union all
    select 'asset', last.asset_id, count(*)::int, max(last.date_start) from (
      select of_one.asset_id, of_one.date_start from (select '' as id union all select id::text
        from organization) o cross join lateral (
        select asset_id, date_start from session where org_id = o.id
          and user_id = ${userId} order by date_start desc limit ${LAST_SESSIONS}
      ) of_one order by of_one.date_start desc limit ${LAST_SESSIONS}) last
    where last.asset_id <> '' group by last.asset_id`.execute(db);
  return rows;
}

/** Records that a user opened an object, and deletes the oldest uses. */
export async function addUse(userId: string, kind: string, id: string, db: Db): Promise<void> {
  await sql`
    insert into search_use as known (user_id, kind, object_id) values (${userId}, ${kind}, ${id})
    on conflict (user_id, kind, object_id) do update set times = known.times + 1,
      date_last = now()`.execute(db);
  await sql`
    delete from search_use where (user_id, kind, object_id) in (
      select user_id, kind, object_id from search_use
        where user_id = ${userId} order by date_last desc offset ${MOST_USES})`.execute(db);
}

/** The search within one kind. */
export interface KindSearch {
  readonly words: readonly string[];
  /** Ids that the user has used. They must not be missing among the matches. */
  readonly used: readonly string[];
  /** Limits matches to the objects of this user, unless undefined. */
  readonly ownerId: string | undefined;
}

/**
 * Converts a prefix of at least eight hexadecimal digits to the range of ids with it. Undefined for
 * other texts.
 */
export function idsBeginning(text: string): readonly [string, string] | undefined {
  const digits = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{8,32}$/.test(digits)) return undefined;
  return [digits.padEnd(32, '0'), digits.padEnd(32, 'f')];
}

/** Returns true if a word has at least `length` characters. */
export const hasLong = (words: readonly string[], length: number) =>
  words.some((word) => [...word].length >= length);

/** Condition: row `t` contains each word. */
function containsAll({ resource, hooks }: MountedResource, words: readonly string[]): Sql {
  if (hooks.search) return hooks.search(words);
  const { pinyin, pairs } = resource.searchable ?? {};
  const matches = containsWords(words, sql`t.search_text`, pairs === true);
  return allOf(
    pinyin
      ? words.map((word, index) => sql`(${matches[index]} or t.pinyin like ${pinyinPattern(word)})`)
      : matches,
  );
}

const labelOf = (resource: Resource) => sql`lower(${sql.ref(`t.${resource.labelField}`)})`;

/**
 * Condition on the rows `t` to rank: a limited number of matches, including title prefixes and
 * objects that the user has used. Undefined if the words are too short.
 */
export function candidates(
  mounted: MountedResource,
  { words, used, ownerId }: KindSearch,
  caller: Caller,
  elsewhere: readonly string[] = [],
): Sql | undefined {
  const { resource } = mounted;
  const { shortest = 1 } = resource.searchable ?? {};
  const scope = allOf([scopeOf(mounted, caller), ownedBy(resource, ownerId)]);
  // Sessions are found by id, other objects by name.
  const isEvent = resource.dateField !== undefined;
  const from = sql`select t.id from ${sql.table(resource.table)} t where ${scope}`;
  const whole = words.join(' ');
  const parts: Sql[] = [];
  const ids = words.length === 1 ? idsBeginning(whole) : undefined;
  if (ids)
    parts.push(
      sql`${from} and t.id between ${ids[0]}::uuid and ${ids[1]}::uuid limit ${BEGINNING}`,
    );
  if (!isEvent)
    parts.push(
      sql`${from} and ${labelOf(resource)} like ${likePattern(whole).slice(1)} limit ${BEGINNING}`,
    );
  if (hasLong(words, shortest)) {
    const contains = containsAll(mounted, words);
    // The newest events are ranked. Objects are ranked in any order, as sorting tens of thousands
    // would be too slow.
    const newest =
      resource.dateField === undefined
        ? sql``
        : sql`order by ${sql.ref(`t.${resource.dateField}`)} desc`;
    parts.push(sql`${from} and ${contains} ${newest} limit ${CONTAINING}`);
    if (used.length > 0) parts.push(sql`${from} and t.id = any (${used}::uuid[]) and ${contains}`);
  }
  if (elsewhere.length > 0)
    parts.push(sql`${from} and t.id = any (${elsewhere.slice(0, CONTAINING)}::uuid[])`);
  if (parts.length === 0) return undefined;
  const matchingIds = sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union `,
  );
  return sql`t.id in (${matchingIds})`;
}

/** Condition: row `t` belongs to a user, by the owner field of the declaration. */
function ownedBy({ searchable }: Resource, userId: string | undefined): Sql | undefined {
  return userId === undefined || !searchable?.owner
    ? undefined
    : sql`${sql.ref(`t.${searchable.owner}`)} = ${userId}`;
}

/** Condition: the user has used row `t`. */
export function usedOnly({ resource }: MountedResource, { used, ownerId }: KindSearch): Sql {
  return allOf([sql`t.id = any (${used}::uuid[])`, ownedBy(resource, ownerId)]);
}

/** Conditions: the name of asset `a` starts with the words, or the asset contains them. */
export function assetConditions(words: readonly string[]): {
  readonly beginning: Sql;
  readonly containing: Sql;
} {
  const matches = matchesTerms(words);
  return {
    beginning: sql`lower(a.hostname) like ${likePattern(words.join(' ')).slice(1)}`,
    containing: allOf(
      words.map((word, index) => sql`(${matches[index]} or a.pinyin like ${pinyinPattern(word)})`),
    ),
  };
}

/** Condition: asset `a` is one of these. */
export function isOneOf(ids: readonly string[]): Sql {
  return sql`a.id = any (${ids}::uuid[])`;
}

/** The favorite assets of a user, and the recent uses of assets. */
export async function knownAssets(
  userId: string,
  db: Db,
): Promise<{ readonly favorites: readonly string[]; readonly uses: readonly Use[] }> {
  const [favorites, uses] = [await favoritesOf(userId, 'asset', db), await usesOf(userId, db)];
  return { favorites, uses: uses.filter(({ kind, id }) => kind === 'asset' && isUuid(id)) };
}
