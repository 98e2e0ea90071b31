import type { ObjectRef } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { executePrepared, FrequentStatements, type Sql, sql } from '../../platform/db/sql.ts';
import type { StoredRow } from '../hooks.ts';
import { readableReferences } from '../relations/named-objects.ts';
import { pickFields, type Shown, selectList } from './columns.ts';
import { bytesOf, countRows, type Expected, expectedOf } from './count.ts';
import type { Start } from './landmarks.ts';
import { type Listing, type ListQuery, readListQuery } from './list-query.ts';
import { type Counted, MAX_LIMIT, type StaleReads } from './page.ts';
import { allOf, listScopeOf } from './scope.ts';
import {
  databaseFor,
  finishRows,
  type LinksColumn,
  linksColumn,
  linksIn,
  parseListing,
  type ReadFacts,
  type ReadSource,
  type StoredLinks,
  setOf,
  timed,
} from './source.ts';

/** From this offset on, a page is found by its unique key where it has one. */
const DEEP = 1_000;
const pageStatements = new FrequentStatements();

/** A list request with its parsed parts. */
interface ParsedListing extends Listing {
  readonly parsed: ListQuery;
  readonly matching: Sql;
  readonly fields: Shown;
  /** The condition of the set that the request names. */
  readonly set: Sql | undefined;
}

/** Columns of a page next to the fields of its rows. */
interface PageColumns extends LinksColumn {
  readonly page_total: number | null;
  readonly page_bytes: number;
  readonly page_references: readonly ObjectRef[] | null;
}

/** Returns an array, or a page if the query has a limit; undefined for too many rows. */
export async function listRows(
  source: ReadSource,
  listing: Listing,
): Promise<StoredRow[] | Counted<StoredRow> | undefined> {
  const { query, caller, within } = listing;
  const { mounted } = source;
  const parsed = await parseListing(source, listing);
  const fields = pickFields(mounted.resource, query, false);
  const set = await setOf(source, listing);
  const scope = allOf([listScopeOf(mounted, query, caller), within, set]);
  const matching = sql`${scope} and ${parsed.where}`;
  const whole = { ...listing, parsed, matching, fields, set };
  return parsed.limit === undefined
    ? allRows(source, whole)
    : pageOfRows(source, whole, parsed.limit);
}

function finishList(
  source: ReadSource,
  rows: StoredRow[],
  {
    caller,
    fields,
    db = source.services.db,
  }: { readonly caller: Caller; readonly fields: Shown; readonly db?: Db },
  facts: ReadFacts = {},
): Promise<StoredRow[]> {
  const reading = { caller, db, operation: undefined, forFile: false };
  return finishRows(source, rows, { ...reading, ...facts }, fields);
}

async function allRows(
  source: ReadSource,
  listing: ParsedListing,
): Promise<StoredRow[] | undefined> {
  const { caller, parsed, matching, fields } = listing;
  const { mounted, registry } = source;
  const { rows } = await timed(source, parsed, (db) =>
    sql<StoredRow>`
      select ${selectList(mounted, caller, registry, fields)}
      from ${sql.table(mounted.resource.table)} t
      where ${matching} order by ${parsed.order} limit ${MAX_LIMIT + 1}`.execute(db),
  );
  return rows.length > MAX_LIMIT ? undefined : finishList(source, rows, listing);
}

async function pageOfRows(
  source: ReadSource,
  listing: ParsedListing,
  limit: number,
): Promise<Counted<StoredRow>> {
  const { query, parsed, matching } = listing;
  const { memory } = source;
  const { table } = source.mounted.resource;
  const { offset } = parsed;
  const isSearch = Boolean(query.get('search'));
  const whole = isUnfiltered(source, listing)
    ? source.mounted.hooks.countAll?.(listing.caller)
    : undefined;
  const projected = memory.projected(matching);
  const expecting = () =>
    timed(source, parsed, (db) => expectedOf(db, table, matching, memory.bytes));
  const isCounted = Boolean(whole) || memory.isSmall;
  const plan = isSearch && !isCounted ? await expecting() : undefined;
  // With few matches, sort all of them. Walking an index in list order could read the whole table
  // before it finds a page.
  const isFoundAtOnce = plan?.isFew === true || (isSearch && isCounted);
  const total = whole ?? sql`(select count(*) from ${sql.table(table)} t where ${matching})`;
  const counted = async (expected: Expected | undefined) => {
    const counts = await timed(source, parsed, (db) => countRows(db, table, matching, expected));
    memory.learnTotal(matching, counts);
    return counts;
  };
  const [page, early, planned] = await Promise.all([
    timed(source, parsed, async (db) => {
      const isNear = memory.isSmall || isFoundAtOnce;
      const start = isNear ? undefined : await startOf(source, listing, db);
      const options = { limit, isFoundAtOnce, start, ...(isCounted && { total }) };
      return readPage(source, listing, options, db);
    }),
    // A slow search is slow to count, so run both at the same time.
    projected ?? (plan && !isFoundAtOnce ? counted(plan) : undefined),
    plan ?? (isCounted || projected ? undefined : expecting()),
  ]);
  const results = await finishList(source, page.rows, listing, page);
  if (page.total !== null) return { count: page.total, results };
  // A page that is not full reveals the total.
  const isLast = results.length < limit && (results.length > 0 || offset === 0);
  if (isLast) return { count: offset + results.length, results };
  const { count, isExact } = early ?? (await counted(planned));
  return { count: isExact ? count : Math.max(offset + results.length + 1, count), results };
}

/** True if nothing limits the rows of a list but the rights of the caller. */
const isUnfiltered = (
  { mounted: { hooks } }: ReadSource,
  { parsed, within, set, query, caller }: ParsedListing,
): boolean => !parsed.narrows && !within && !set && !hooks.visibleInList?.(caller, query);

const PICKS = ['fields', 'fields!', 'fields_size'];

/** True for the lists that pages show first. Their statement has the same text for each page. */
const isPlain = (source: ReadSource, listing: ParsedListing): boolean =>
  isUnfiltered(source, listing) &&
  !listing.query.get('order')?.includes(',') &&
  !PICKS.some((name) => listing.query.has(name));

/** Returns where the walk to a distant page begins; undefined for the first row. */
async function startOf(
  { mounted, landmarks }: ReadSource,
  { matching, parsed: { byColumn, offset } }: ParsedListing,
  db: Db,
): Promise<Start | undefined> {
  const { table } = mounted.resource;
  return byColumn && landmarks.before(db, { table, matching, order: byColumn }, offset);
}

/** A page from the database, before its rows are converted. */
interface StoredPage extends ReadFacts {
  readonly rows: StoredRow[];
  readonly links: readonly StoredLinks[];
  /** Null if the statement did not count. */
  readonly total: number | null;
}

interface PageOptions {
  readonly limit: number;
  /** All matching rows are sorted and counted. */
  readonly isFoundAtOnce: boolean;
  readonly start: Start | undefined;
  /** Counts the rows behind a full page. */
  readonly total?: Sql;
}

/**
 * Reads a page with its links and its total in one statement, as the database may be remote. It
 * selects the ids of the page first: computed columns are then evaluated for its rows only.
 */
async function readPage(
  source: ReadSource,
  listing: ParsedListing,
  { limit, isFoundAtOnce, start, total }: PageOptions,
  db: Db,
): Promise<StoredPage> {
  const { mounted, registry, memory } = source;
  const table = sql.table(mounted.resource.table);
  const { query, caller, parsed, fields } = listing;
  const { order, key } = parsed;
  const { offset } = start ?? parsed;
  const matching = allOf([listing.matching, start?.from]);
  const plain = isPlain(source, listing);
  // A generic plan must not depend on these values, so the planner does not see them.
  const paging = plain
    ? sql`limit (select ${limit}::bigint) offset (select ${offset}::bigint)`
    : sql`limit ${limit} offset ${offset}`;
  const size = isFoundAtOnce ? sql`count(*) over ()` : sql`null::bigint`;
  // An index holds the unique key but not the id, so it finds a deep page without the table.
  const column = sql.ref(`t.${key ?? 'id'}`);
  const ids =
    key && parsed.offset >= DEEP && !isFoundAtOnce
      ? sql`deep as materialized (
          select ${column} as value from ${table} t where ${matching} order by ${order} ${paging}),
        page as materialized (
          select t.id, null::bigint as found_count from ${table} t
          where ${column} = any (array(select value from deep))
            and ${listScopeOf(mounted, query, caller)})`
      : sql`page as materialized (
          select t.id, ${size} as found_count from ${table} t
          where ${matching} order by ${order} ${paging})`;
  const counted = isFoundAtOnce
    ? sql`(select found_count from page limit 1)`
    : total
      ? sql`case when (select count(*) from page) = ${limit} then ${total} end`
      : sql`null::bigint`;
  const onPage = sql`array(select id from page)`;
  const links = linksColumn(source, caller, fields, onPage);
  const readable = readableReferences(source, caller, fields, onPage);
  const references = readable
    ? sql`case when row_number() over () = 1 then coalesce(
        (select json_agg(readable) from (${readable}) readable), '[]'::json) end`
    : sql`null::json`;
  const reading = sql<StoredRow & PageColumns>`
    with ${ids}
    select ${selectList(mounted, caller, registry, fields)}, ${counted} as page_total,
      ${bytesOf(mounted.resource.table)} as page_bytes, ${links} as page_links,
      ${references} as page_references
    from ${table} t
    where t.id = any (array(select id from page)) order by ${order}`;
  const rows =
    plain && pageStatements.isFrequent(reading)
      ? await executePrepared(reading, db)
      : (await reading.execute(db)).rows;
  const [first] = rows;
  if (first) memory.learnSize(first.page_bytes);
  return {
    rows: rows.map(
      ({ page_total: _, page_bytes: __, page_links: ___, page_references: ____, ...row }) => row,
    ),
    links: linksIn(rows),
    readable: rows.find(({ page_references }) => page_references)?.page_references ?? undefined,
    total: first?.page_total ?? null,
  };
}

/** Returns rows that match a condition, in default order and without a total. */
export async function findRows(
  source: ReadSource,
  {
    within,
    fields: names,
    limit,
    caller,
    ...how
  }: StaleReads & {
    readonly within: Sql;
    readonly fields: readonly string[];
    readonly limit: number;
    readonly caller: Caller;
  },
): Promise<StoredRow[]> {
  const { mounted, registry } = source;
  const db = databaseFor(source, how);
  const query = new URLSearchParams({ fields: names.join(',') });
  const { order } = readListQuery(source, { query, caller });
  const fields = pickFields(mounted.resource, query, false);
  const { rows } = await sql<StoredRow>`
    select ${selectList(mounted, caller, registry, fields)}
    from ${sql.table(mounted.resource.table)} t
    where ${listScopeOf(mounted, query, caller)} and ${within}
    order by ${order} limit ${limit}`.execute(db);
  return finishList(source, rows, { caller, fields, db });
}
