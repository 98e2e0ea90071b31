import { MAX_ITEMS, type NamedSet } from '@sallyport/contract';
import { sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import { wantsNames } from '../csv/columns.ts';
import type { StoredRow } from '../hooks.ts';
import { writeNames } from '../relations/names.ts';
import { selectList } from './columns.ts';
import type { Listing } from './list-query.ts';
import { pickFields } from './pick.ts';
import { storeQuery } from './resource-set.ts';
import { allOf, listScopeOf, scopeOf } from './scope.ts';
import { withinPatternTime } from './search-text.ts';
import { finishRows, parseListing, type ReadSource, setOf, timed } from './source.ts';
import { streamRows } from './stream-rows.ts';

/** Yields matching rows in batches from one snapshot. A stream has no maximum length. */
export async function* streamList(
  source: ReadSource,
  listing: Listing,
  forFile: boolean,
): AsyncGenerator<StoredRow[]> {
  const { query, caller, within } = listing;
  const { mounted, registry, services } = source;
  const table = sql.table(mounted.resource.table);
  const { where, order, limit, offset, hasPattern } = await parseListing(source, listing, {
    maxLimit: Number.MAX_SAFE_INTEGER,
  });
  // Test the pattern first: once a file has begun, an error can no longer be sent.
  if (hasPattern)
    await withinPatternTime(services.db, (tx) =>
      sql`select 1 from ${table} t where ${where} limit 1`.execute(tx),
    );
  const fields = pickFields(mounted.resource, query, forFile);
  const scope = allOf([listScopeOf(mounted, query, caller), within, await setOf(source, listing)]);
  const paging = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
  const rows = sql`
    select ${selectList(mounted, caller, registry, fields)} from ${table} t
    where ${scope} and ${where} order by ${order} ${paging}`;
  yield* streamRows<StoredRow, StoredRow>(services, rows, async (batch, tx) => {
    const reading = { caller, db: tx, operation: undefined, forFile };
    const finished = await finishRows(source, batch, reading, fields);
    if (forFile && wantsNames(query)) await writeNames(source, finished, reading, fields);
    return finished;
  });
}

/** Returns the ids of matching rows, at most one above the batch limit. @throws Invalid */
export async function matchingIds(source: ReadSource, listing: Listing): Promise<string[]> {
  const { mounted } = source;
  const table = sql.table(mounted.resource.table);
  const parsed = await parseListing(source, listing);
  const set = await setOf(source, listing);
  // Reject an unfiltered request, even for one row: a forgotten filter must not empty the list.
  if (!parsed.narrows && !set) throw invalid('non_field_errors', 'too_many_matches');
  const scope = allOf([scopeOf(mounted, listing.caller), set]);
  const { rows } = await timed(source, parsed, (db) =>
    sql<{ id: string }>`
      select t.id from ${table} t
      where ${scope} and ${parsed.where} limit ${MAX_ITEMS + 1}`.execute(db),
  );
  return rows.map((row) => row.id);
}

/** Stores all matching rows as a set of the caller. */
export async function nameMatching(source: ReadSource, listing: Listing): Promise<NamedSet> {
  const { mounted } = source;
  const { caller } = listing;
  const table = sql.table(mounted.resource.table);
  const parsed = await parseListing(source, listing);
  const scope = allOf([scopeOf(mounted, caller), await setOf(source, listing)]);
  return timed(source, parsed, (db) =>
    storeQuery(
      sql`select t.id from ${table} t where ${scope} and ${parsed.where}`,
      caller.actor.userId,
      db,
    ),
  );
}
