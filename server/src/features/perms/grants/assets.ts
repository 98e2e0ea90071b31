import type { GrantedAsset } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { executePrepared, FrequentStatements, type Sql, sql } from '../../../platform/db/sql.ts';
import type { Counted } from '../../../resources/read/page.ts';
import { allOf } from '../../../resources/read/scope.ts';
import { isRemembered, matchesTerm, matchesTerms, type Narrowing } from '../store.ts';
import { countGranted, grantedAmong, grantedCandidates, isSmall } from './coverage.ts';
import { type GrantedQuery, readQuery } from './granted-query.ts';
import { idsOfPage } from './ordered-page.ts';
import type { GrantView } from './service.ts';
import { fillsSoon, wideSearch } from './wide-search.ts';

const COLUMNS = sql`a.id, a.hostname, a.ip, a.protocols, a.os, a.domain_id as domain,
  p.base as platform, a.comment, a.org_id,
  case when a.org_id = '' then 'DEFAULT'
    else (select o.name from organization o where o.id::text = a.org_id) end as org_name`;

/** Searches with at most this many words are prepared statements. */
const MOST_PREPARED_TERMS = 2;

/** Assets on a node that are read and sorted for a page; granted assets that are joined with it. */
const MOST_ON_NODE = 10_000;
const MOST_JOINED = 40_000;
/** First pages of at most this many rows are cached, as ids. */
const MAX_CACHED_ROWS = 100;

/** Each SSH connection finds its asset by name. */
const frequent = new FrequentStatements();

/** All assets, or a page with the total. */
type AssetList = GrantedAsset[] | Counted<GrantedAsset>;

const FROM = sql`from asset a join platform p on p.name = a.platform`;
const inOrder = ({ column, direction }: GrantedQuery): Sql =>
  sql`order by ${column} ${direction}, a.id ${direction}`;

interface ListOptions {
  readonly sortBy: string;
  readonly narrowing?: Narrowing | undefined;
  /** Distance of the landmarks for deep pages. */
  readonly distance?: number | undefined;
  /** Searches that find as many assets are walked. */
  readonly wideFrom?: number | undefined;
}

/**
 * Returns a page, or all, of the assets granted to a user, filtered by the request and `narrowing`.
 */
export async function listGrantedAssets(
  db: Db,
  view: GrantView,
  query: URLSearchParams,
  { sortBy, narrowing, distance, wideFrom }: ListOptions,
): Promise<AssetList> {
  const request = readQuery(query, sortBy);
  const { terms, where, limit, offset } = request;
  const isSearch = terms.length > 0 || where !== undefined;
  if (terms.length > 0 && !where && !narrowing && !isSmall(view.coverage)) {
    const page = await readWide(db, view, request, wideFrom);
    if (page) return page;
  }
  const strategy = isSearch ? 'match' : await strategyOn(db, view, narrowing);
  const read = () =>
    strategy === 'scan'
      ? scanInOrder(db, view, request, { narrowing, distance })
      : STRATEGIES[strategy](db, view, request, narrowing);
  const isFirst = limit !== undefined && limit <= MAX_CACHED_ROWS && offset === 0;
  return isFirst && !isSearch && !narrowing ? cachedPage(db, view, request, read) : read();
}

const STRATEGIES = { match: readMatches, join: readJoined } as const;

/**
 * Chooses how to list assets without a search. If few of all assets can be both granted and on a
 * node, they are far apart in the order of the page: a scan would check most assets to fill it.
 */
async function strategyOn(
  db: Db,
  view: GrantView,
  narrowing: Narrowing | undefined,
): Promise<keyof typeof STRATEGIES | 'scan'> {
  const { rules, isEverything, atMost } = view.coverage;
  const place = narrowing?.place;
  if (place && rules.length > 0 && !isEverything && atMost <= MOST_JOINED) return 'join';
  if (isSmall(view.coverage)) return 'match';
  if (!place) return 'scan';
  const areFew = await view.remember(`few ${place.name}`, async () => {
    const { rows } = await sql<{ are_few: boolean }>`
      select count(*) <= ${MOST_ON_NODE}::integer as are_few
      from (${place.ids} limit ${MOST_ON_NODE + 1}) held`.execute(db);
    return rows[0]?.are_few ?? false;
  });
  return areFew ? 'match' : 'scan';
}

/**
 * Caches the ids of the first page, which most users request. They change only with the grants,
 * whose version also covers names and addresses of assets.
 */
async function cachedPage(
  db: Db,
  view: GrantView,
  request: GrantedQuery,
  read: () => Promise<AssetList>,
): Promise<AssetList> {
  let fresh: AssetList | undefined;
  const { count, ids } = await view.remember(
    `first ${request.limit} by ${request.order}`,
    async () => {
      fresh = await read();
      const { count: all, results } = Array.isArray(fresh)
        ? { count: fresh.length, results: fresh }
        : fresh;
      return { count: all, ids: results.map(({ id }) => id) };
    },
  );
  if (fresh) return fresh;
  const rows = await executePrepared(
    sql<GrantedAsset>`select ${COLUMNS} ${FROM}
      where a.id = any (${ids}::uuid[]) ${inOrder(request)}`,
    db,
  );
  return { count, results: [...rows] };
}

/** Reads all matches, then counts them. Suits few granted assets, and searches among many. */
async function readMatches(
  db: Db,
  view: GrantView,
  request: GrantedQuery,
  narrowing: Narrowing | undefined,
): Promise<AssetList> {
  const { terms, where, column } = request;
  const { coverage } = view;
  const isPlain = !where && !narrowing;
  // Among all assets, trigrams find short terms. A few gathered assets are compared one by one.
  const searchConditions = isSmall(coverage)
    ? terms.map((term) => matchesTerm(term))
    : matchesTerms(terms, isPlain);
  const narrowed = allOf([
    organizationCondition(view),
    where,
    ...searchConditions,
    narrowing?.condition,
  ]);
  // Gathered assets are read with their order column only, which an index covers.
  const gathers = isSmall(coverage) || coverage.isEverything;
  const searched = gathers
    ? sql`with found as materialized (select a.id, ${column} as position from asset a
      where ${allOf([view.isGranted, narrowed])})`
    : sql`
      with candidate as materialized (select a.id, ${column} as position from asset a
        where ${allOf([sql`a.is_active`, narrowed])}),
        found as materialized (${grantedCandidates(coverage)})`;
  // Planning takes a tenth of the time. Gathered assets need a plan per user, and other conditions
  // vary too much to prepare.
  const isPrepared = isPlain && !isSmall(coverage) && terms.length <= MOST_PREPARED_TERMS;
  return readFound(db, request, searched, isPrepared);
}

/** Reads a page of a search for a common word; undefined if reading all matches costs less. */
async function readWide(
  db: Db,
  view: GrantView,
  request: GrantedQuery,
  wideFrom: number | undefined,
): Promise<AssetList | undefined> {
  const { terms, limit, offset } = request;
  if (limit === undefined) return undefined;
  const matching = allOf(matchesTerms(terms));
  const wide = await wideSearch(db, view, { name: terms.join(' '), matching, wideFrom });
  if (!wide || !fillsSoon(wide, offset + limit)) return undefined;
  const narrowing = { condition: matching };
  const ids = await idsOfPage(db, view, { ...request, limit }, { narrowing });
  const results = await rowsWhere(db, request, sql`a.id in (${ids})`);
  const isLast = results.length < limit && (results.length > 0 || offset === 0);
  const least = offset + results.length;
  return { count: isLast ? least : Math.max(least + 1, wide.total), results };
}

/** Joins the granted assets with those of a node, and reads the assets that are both. */
function readJoined(
  db: Db,
  view: GrantView,
  request: GrantedQuery,
  narrowing: Narrowing | undefined,
): Promise<AssetList> {
  const { coverage } = view;
  const granted = narrowing?.place
    ? sql`(a.is_active and a.id in (${grantedAmong(coverage, narrowing.place.ids)}))`
    : view.isGranted;
  const matches = sql`with found as materialized (select a.id, ${request.column} as position
    from asset a where ${allOf([granted, organizationCondition(view)])})`;
  return readFound(db, request, matches, false);
}

/** Reads a page, or all, of the matches, which a clause of the statement holds. */
async function readFound(
  db: Db,
  request: GrantedQuery,
  found: Sql,
  isPrepared: boolean,
): Promise<AssetList> {
  const { direction, limit, offset } = request;
  const all = sql<GrantedAsset>`${found} select ${COLUMNS} ${FROM}
    join found on found.id = a.id ${inOrder(request)}`;
  if (limit === undefined) return (await all.execute(db)).rows;
  // Counting visits all matches, so the page is taken from them. An empty page still returns the
  // count.
  const reading = sql<GrantedAsset & { position: unknown; found_count: number }>`${found},
      page as (select * from found order by position ${direction}, id ${direction}
        limit ${limit} offset ${offset}),
      shown as (select ${COLUMNS}, page.position ${FROM} join page on page.id = a.id)
    select shown.*, total.found_count from (select count(*) as found_count from found) total
      left join shown on true
    order by shown.position ${direction}, shown.id ${direction}`;
  const rows = isPrepared ? await executePrepared(reading, db) : (await reading.execute(db)).rows;
  const results = rows
    .filter(({ id }) => id !== null)
    .map(({ found_count, position, ...asset }) => asset);
  return { count: rows[0]?.found_count ?? 0, results };
}

/**
 * Scans all assets in the order of the page. Suits users with many granted assets, whose page fills
 * quickly.
 */
async function scanInOrder(
  db: Db,
  view: GrantView,
  request: GrantedQuery,
  { narrowing, distance }: Omit<ListOptions, 'sortBy'>,
): Promise<AssetList> {
  const { limit, offset } = request;
  if (limit === undefined)
    return rowsWhere(
      db,
      request,
      allOf([view.isGranted, organizationCondition(view), narrowing?.condition]),
    );
  // Cacheable counts run in parallel with the page.
  const reading = idsOfPage(db, view, { ...request, limit }, { narrowing, distance }).then((ids) =>
    rowsWhere(db, request, sql`a.id in (${ids})`),
  );
  const [rows, counted] = await Promise.all([
    reading,
    isRemembered(narrowing) ? countAll(db, view, narrowing) : undefined,
  ]);
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  if (isLast) return { count: offset + rows.length, results: rows };
  return { count: counted ?? (await countAll(db, view, narrowing)), results: rows };
}

/** Reads the assets (alias `a`) that match a condition, in order. */
async function rowsWhere(db: Db, request: GrantedQuery, condition: Sql): Promise<GrantedAsset[]> {
  const { rows } = await sql<GrantedAsset>`
    select ${COLUMNS} ${FROM} where ${condition} ${inOrder(request)}`.execute(db);
  return rows;
}

/** Returns granted assets that match a condition (alias `a`), unordered and without a count. */
export async function findGrantedAssets(
  db: Db,
  view: GrantView,
  condition: Sql,
  limit: number,
): Promise<GrantedAsset[]> {
  if (view.coverage.rules.length === 0) return [];
  const all = allOf([view.isGranted, organizationCondition(view), condition]);
  const reading = sql<GrantedAsset>`select ${COLUMNS} ${FROM} where ${all} limit ${limit}`;
  if (frequent.isFrequent(reading)) return [...(await executePrepared(reading, db))];
  return (await reading.execute(db)).rows;
}

/** Counts the assets granted to a user. Cached unless `narrowing` depends on more than grants. */
async function countAll(
  db: Db,
  view: GrantView,
  narrowing: Narrowing | undefined,
): Promise<number> {
  const { coverage } = view;
  const count = async (counting: Sql) =>
    (await sql<{ count: number }>`${counting}`.execute(db)).rows[0]?.count ?? 0;
  if (!narrowing) return view.remember('count', () => count(countGranted(coverage)));
  const { place, condition } = narrowing;
  if (place)
    return view.remember(`count ${place.name}`, () => count(countGranted(coverage, place.ids)));
  return count(countGranted(coverage, sql`select a.id from asset a where ${condition}`));
}

/**
 * Restricts to the organization of the permissions, so that the index on organization and host name
 * provides the order. Undefined for several organizations.
 */
function organizationCondition(view: GrantView): Sql | undefined {
  const [only, ...others] = view.coverage.organizations;
  return only !== undefined && others.length === 0 ? sql`a.org_id = ${only}` : undefined;
}
