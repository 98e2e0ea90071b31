import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import type { StoredRow } from '../hooks.ts';
import { type Shown, selectList } from './columns.ts';
import { countRows, expectedOf } from './count.ts';
import { type Listing, type ListQuery, readListQuery } from './list-query.ts';
import { type Counted, MAX_LIMIT } from './page.ts';
import { pickFields } from './pick.ts';
import { allOf, listScopeOf } from './scope.ts';
import { finishRows, parseListing, type ReadSource, setOf, timed } from './source.ts';

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
