import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { StoredRow } from '../hooks.ts';
import { pickFields, type Shown, selectList } from './columns.ts';
import { type Listing, type ListQuery, readListQuery } from './list-query.ts';
import { type Counted, MAX_LIMIT } from './page.ts';
import { allOf, listScopeOf } from './scope.ts';
import { finishRows, parseListing, type ReadSource, setOf, timed } from './source.ts';

/**
 * Maximum planner cost of an exact count, about 20 ms; tables below 100,000 rows always fit. Above
 * it, a sample is counted and projected.
 */
const EXACT_UP_TO_COST = 6_000;
/**
 * Rows in the sample: a match rate of 1 % is estimated within a tenth. Rarer matches are cheap to
 * count exactly.
 */
const SAMPLE_ROWS = 20_000;

/** Sorting this many rows takes about as long as counting them. */
const FEW_ROWS = 15_000;

interface Expected {
  /** Count exactly. */
  readonly isExact: boolean;
  /** The rows are so few that one query can sort all of them. */
  readonly isFew: boolean;
}

/** Returns how to count a condition (over alias `t`), from the planner's estimate. */
async function expectedOf(db: Db, table: string, where: Sql): Promise<Expected> {
  const { rows } = await sql<{
    'QUERY PLAN': [{ Plan: { 'Total Cost': number; 'Plan Rows': number } }];
  }>`
    explain (format json) select 1 from ${sql.table(table)} t where ${where}`.execute(db);
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  const isExact = (plan?.['Total Cost'] ?? 0) <= EXACT_UP_TO_COST;
  return { isExact, isFew: isExact && (plan?.['Plan Rows'] ?? 0) <= FEW_ROWS };
}

/**
 * Counts the rows that a condition (over alias `t`) matches, exactly or projected from a sample.
 */
export async function countRows(
  db: Db,
  table: string,
  where: Sql,
  expected?: Expected,
): Promise<{ readonly count: number; readonly isExact: boolean }> {
  const { isExact } = expected ?? (await expectedOf(db, table, where));
  return { count: await (isExact ? exactCount : projectedCount)(db, table, where), isExact };
}

async function projectedCount(db: Db, table: string, where: Sql): Promise<number> {
  const size = await sql<{
    amount: number;
  }>`select reltuples as amount from pg_class where oid = to_regclass(${table})`.execute(db);
  const all = Math.max(1, size.rows[0]?.amount ?? 0);
  if (all <= SAMPLE_ROWS) return exactCount(db, table, where);
  // A fixed seed samples the same blocks, so the total stays the same from page to page.
  const { rows } = await sql<{ found: number; seen: number }>`
    select count(*) filter (where ${where}) as found, count(*) as seen
    from ${sql.table(table)} t
    tablesample system (${(100 * SAMPLE_ROWS) / all}) repeatable (0)`.execute(db);
  const [sampled] = rows;
  return sampled && sampled.seen > 0 ? Math.round((all * sampled.found) / sampled.seen) : 0;
}

async function exactCount(db: Db, table: string, where: Sql): Promise<number> {
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from ${sql.table(table)} t where ${where}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** A list request with its parsed parts. */
interface ParsedListing extends Listing {
  readonly parsed: ListQuery;
  readonly matching: Sql;
  readonly fields: Shown;
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
  const scope = allOf([listScopeOf(mounted, query, caller), within, await setOf(source, listing)]);
  const matching = sql`${scope} and ${parsed.where}`;
  const whole = { ...listing, parsed, matching, fields };
  return parsed.limit === undefined
    ? allRows(source, whole)
    : pageOfRows(source, whole, parsed.limit);
}

function finishList(
  source: ReadSource,
  rows: StoredRow[],
  { caller, fields }: { readonly caller: Caller; readonly fields: Shown },
): Promise<StoredRow[]> {
  const { db } = source.services;
  return finishRows(source, rows, { caller, db, operation: undefined, forFile: false }, fields);
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
  const { table } = source.mounted.resource;
  const { offset } = parsed;
  const isSearch = Boolean(query.get('search'));
  const expected = isSearch
    ? await timed(source, parsed, (db) => expectedOf(db, table, matching))
    : undefined;
  // With few matches, sort all of them. Walking an index in list order could read the whole table
  // before it finds a page.
  const isFoundAtOnce = expected?.isFew === true;
  const counted = () => timed(source, parsed, (db) => countRows(db, table, matching, expected));
  const [{ rows: pageRows }, early] = await Promise.all([
    timed(source, parsed, (db) => readPage(source, listing, { limit, isFoundAtOnce }, db)),
    // A slow search is slow to count, so run both at the same time.
    isSearch && !isFoundAtOnce ? counted() : undefined,
  ]);
  const results = await finishList(
    source,
    pageRows.map(({ found_count: _, ...row }) => row),
    listing,
  );
  const [first] = pageRows;
  if (isFoundAtOnce && first) return { count: first.found_count, results };
  // A page that is not full reveals the total.
  const isLast = results.length < limit && (results.length > 0 || offset === 0);
  if (isLast) return { count: offset + results.length, results };
  const { count, isExact } = early ?? (await counted());
  return { count: isExact ? count : Math.max(offset + results.length + 1, count), results };
}

/** Selects the ids of the page first: computed columns are then evaluated for its rows only. */
function readPage(
  { mounted, registry }: ReadSource,
  { caller, parsed: { order, offset }, matching, fields }: ParsedListing,
  { limit, isFoundAtOnce }: { readonly limit: number; readonly isFoundAtOnce: boolean },
  db: Db,
) {
  const table = sql.table(mounted.resource.table);
  return sql<StoredRow & { found_count: number }>`
    with page as materialized (
      select t.id, ${isFoundAtOnce ? sql`count(*) over ()` : sql`0`} as found_count
      from ${table} t where ${matching} order by ${order} limit ${limit} offset ${offset}
    )
    select ${selectList(mounted, caller, registry, fields)},
      (select found_count from page limit 1) as found_count
    from ${table} t
    where t.id in (select id from page) order by ${order} limit ${limit}`.execute(db);
}

/** Returns rows that match a condition, in default order and without a total. */
export async function findRows(
  source: ReadSource,
  {
    within,
    fields: names,
    limit,
    caller,
  }: {
    readonly within: Sql;
    readonly fields: readonly string[];
    readonly limit: number;
    readonly caller: Caller;
  },
): Promise<StoredRow[]> {
  const { mounted, registry, services } = source;
  const query = new URLSearchParams({ fields: names.join(',') });
  const { order } = readListQuery(source, { query, caller });
  const fields = pickFields(mounted.resource, query, false);
  const { rows } = await sql<StoredRow>`
    select ${selectList(mounted, caller, registry, fields)}
    from ${sql.table(mounted.resource.table)} t
    where ${listScopeOf(mounted, query, caller)} and ${within}
    order by ${order} limit ${limit}`.execute(services.db);
  return finishList(source, rows, { caller, fields });
}
