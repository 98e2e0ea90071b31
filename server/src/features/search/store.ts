import { isUuid, type Resource } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { MountedResource, Sql } from '../../resources/hooks.ts';
import { allOf, scopeOf } from '../../resources/scope.ts';
import { containsWords, likePattern, pinyinPattern } from '../../resources/search-text.ts';
import { favoritesOf, matchesTerms } from '../perms/store.ts';

/** Objects that a user has used, kept at the most; the oldest go first. */
const MOST_USES = 200;
/** The last sessions of a user that say which assets the user works on. */
const LAST_SESSIONS = 100;
/**
 * Objects of a kind that are ranked: so many of which the title begins with the search, and so many
 * that contain it.
 */
export const BEGINNING = 20;
export const CONTAINING = 40;

/** How a user has used an object. */
export interface Use {
  readonly kind: string;
  readonly id: string;
  readonly times: number;
  readonly date: Date;
}

/** What a user opened lately, and the assets that the user connected to. */
export async function usesOf(userId: string, db: Db): Promise<readonly Use[]> {
  // By organization, as the index has the sessions of a person: otherwise the newest sessions of
  // everybody are walked through until there are enough.
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

/** Notes that a user opened an object, and forgets the oldest. */
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

/** What of a kind is looked for. */
export interface Wanted {
  readonly words: readonly string[];
  /** Ids of objects that the user knows; among those found they must not be missing. */
  readonly used: readonly string[];
  /** The user whose objects these have to be; undefined for all that the scope shows. */
  readonly ownerId: string | undefined;
}

/**
 * The ids between which those lie that begin with a text of eight and more hexadecimal digits;
 * undefined for other texts.
 */
export function idsBeginning(text: string): readonly [string, string] | undefined {
  const digits = text.toLowerCase().replaceAll('-', '');
  if (!/^[0-9a-f]{8,32}$/.test(digits)) return undefined;
  return [digits.padEnd(32, '0'), digits.padEnd(32, 'f')];
}

/** Whether one of the words has so many letters. */
export const hasLong = (words: readonly string[], length: number) =>
  words.some((word) => [...word].length >= length);

/** The condition that each word is found in a row, alias `t`. */
function containsAll({ resource, hooks }: MountedResource, words: readonly string[]): Sql {
  if (hooks.search) return hooks.search(words);
  const { pinyin, pairs } = resource.searchable ?? {};
  const found = containsWords(words, sql`t.search_text`, pairs === true);
  return allOf(
    pinyin
      ? words.map((word, index) => sql`(${found[index]} or t.pinyin like ${pinyinPattern(word)})`)
      : found,
  );
}

const labelOf = (resource: Resource) => sql`lower(${sql.ref(`t.${resource.labelField}`)})`;

/**
 * The condition on the rows of a kind (alias `t`) that are ranked: a bounded number of those that a
 * search finds, the ones whose title begins with it among them, and those that the user knows.
 * Undefined when the words are too short to look for.
 */
export function candidates(
  mounted: MountedResource,
  { words, used, ownerId }: Wanted,
  caller: Caller,
  elsewhere: readonly string[] = [],
): Sql | undefined {
  const { resource } = mounted;
  const { shortest = 1 } = resource.searchable ?? {};
  const scope = allOf([scopeOf(mounted, caller), ownedBy(resource, ownerId)]);
  // A session is found by its id, an object by its name.
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
    // Of events the newest count. Of objects any will do: to put tens of thousands in order would
    // take longer than anyone waits.
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
  const found = sql.join(
    parts.map((part) => sql`(${part})`),
    sql` union `,
  );
  return sql`t.id in (${found})`;
}

/** The condition that rows (alias `t`) belong to a user, by the field of the declaration. */
function ownedBy({ searchable }: Resource, userId: string | undefined): Sql | undefined {
  return userId === undefined || !searchable?.owner
    ? undefined
    : sql`${sql.ref(`t.${searchable.owner}`)} = ${userId}`;
}

/** The condition on the rows (alias `t`) that a user has used. */
export function usedOnly({ resource }: MountedResource, { used, ownerId }: Wanted): Sql {
  return allOf([sql`t.id = any (${used}::uuid[])`, ownedBy(resource, ownerId)]);
}

/**
 * The conditions on assets (alias `a`) that their names begin with words, and that they contain
 * them.
 */
export function assetConditions(words: readonly string[]): {
  readonly beginning: Sql;
  readonly containing: Sql;
} {
  const found = matchesTerms(words);
  return {
    beginning: sql`lower(a.hostname) like ${likePattern(words.join(' ')).slice(1)}`,
    containing: allOf(
      words.map((word, index) => sql`(${found[index]} or a.pinyin like ${pinyinPattern(word)})`),
    ),
  };
}

/** The condition that an asset (alias `a`) is one of these. */
export function isOneOf(ids: readonly string[]): Sql {
  return sql`a.id = any (${ids}::uuid[])`;
}

/** When a user used each of the assets that are known lately; of favorites, whether used or not. */
export async function knownAssets(
  userId: string,
  db: Db,
): Promise<{ readonly favorites: readonly string[]; readonly uses: readonly Use[] }> {
  const [favorites, uses] = [await favoritesOf(userId, 'asset', db), await usesOf(userId, db)];
  return { favorites, uses: uses.filter(({ kind, id }) => kind === 'asset' && isUuid(id)) };
}
