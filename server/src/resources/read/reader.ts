import { type Histogram, isUuid, MAX_ITEMS, type NamedSet } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { wantsNames } from '../csv/columns.ts';
import type {
  MountedResource,
  Operation,
  Registry,
  ResourceServices,
  StoredRow,
} from '../hooks.ts';
import { writeNames } from '../relations/names.ts';
import { pickFields, selectList } from './columns.ts';
import { histogramOf } from './histogram.ts';
import { findRows, listRows } from './list.ts';
import type { Listing } from './list-query.ts';
import type { Counted, StaleReads } from './page.ts';
import { storeQuery } from './resource-set.ts';
import { allOf, listScopeOf, scopeOf } from './scope.ts';
import { withinPatternTime } from './search.ts';
import {
  databaseFor,
  finishRows,
  parseListing,
  type ReadSource,
  selectRows,
  setOf,
  sourceOf,
  timed,
} from './source.ts';

/** Rows in memory at once while a long list is streamed. */
const BATCH = 250;

/** Yields the rows of a query in batches from one snapshot, each converted by `finish`. */
export async function* streamRows<Row, Out>(
  { db, longReads }: Pick<ResourceServices, 'db' | 'longReads'>,
  query: Sql,
  finish: (rows: Row[], tx: Tx) => Promise<Out[]> | Out[],
): AsyncGenerator<Out[]> {
  const leave = await longReads.enter();
  const tx = await db
    .begin({ isolation: 'repeatable read', access: 'read only' })
    .catch((error: unknown) => {
      leave();
      throw error;
    });
  try {
    for await (const rows of readInBatches<Row>(query, tx, BATCH)) yield await finish(rows, tx);
  } finally {
    // Runs even if the client disconnects: the query ends with the transaction. A lost session has
    // nothing to roll back.
    await tx.rollback();
    leave();
  }
}

/** Yields the rows of a query in batches, by a cursor; a transaction has one at a time. */
export async function* readInBatches<Row>(query: Sql, tx: Tx, size: number): AsyncGenerator<Row[]> {
  await sql`declare batch no scroll cursor for ${query}`.execute(tx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(size)} from batch`.execute(tx);
    if (rows.length === 0) break;
    yield rows;
  }
  await sql`close batch`.execute(tx);
}

/** Options of a stream of rows. */
export interface StreamOptions extends StaleReads {
  /** An additional condition. */
  readonly within?: Sql;
}

export interface Reader {
  /**
   * Returns an array, or a page if the query has a limit. Returns undefined for more rows than
   * memory may hold. `within` is an additional condition.
   */
  list(
    query: URLSearchParams,
    caller: Caller,
    within?: Sql,
  ): Promise<StoredRow[] | Counted<StoredRow> | undefined>;
  /** Returns rows matching `within` in default order, with selected fields, without a total. */
  find(within: Sql, fields: readonly string[], limit: number, caller: Caller): Promise<StoredRow[]>;
  /** Counts the rows of a list over time. @throws Invalid for bad values */
  histogram(query: URLSearchParams, caller: Caller): Promise<Histogram>;
  /** Like `find`; a standby may answer with rows that are some seconds old. */
  findStale: Reader['find'];
  /** Yields matching rows in batches from one snapshot; respects `limit`. */
  stream(
    query: URLSearchParams,
    caller: Caller,
    forFile: boolean,
    options?: StreamOptions,
  ): AsyncGenerator<StoredRow[]>;
  /** Returns one row in wire form. @throws NotFound outside the caller's scope */
  retrieve(id: string, caller: Caller, db?: Db | Tx): Promise<StoredRow>;
  /** Returns the ids of matching rows without paging, at most one above the batch limit. */
  matchingIds(query: URLSearchParams, caller: Caller): Promise<string[]>;
  /** Stores all matching rows as a set of the caller. @throws Invalid if a set cannot hold them */
  nameMatching(query: URLSearchParams, caller: Caller): Promise<NamedSet>;
  /** Returns rows in wire form, in the order of the ids; omits ids outside the scope. */
  rows(
    ids: readonly string[],
    caller: Caller,
    db?: Db | Tx,
    operation?: Operation,
  ): Promise<StoredRow[]>;
  /** Converts stored rows to wire form without changing them. */
  show(rows: readonly StoredRow[], operation: Operation): Promise<StoredRow[]>;
}

export function createReader(
  mounted: MountedResource,
  registry: Registry,
  services: ResourceServices,
): Reader {
  const source = sourceOf(mounted, registry, services);
  return {
    list: (query, caller, within) => listRows(source, { query, caller, within }),
    find: (within, fields, limit, caller) => findRows(source, { within, fields, limit, caller }),
    findStale: (within, fields, limit, caller) =>
      findRows(source, { within, fields, limit, caller, mayBeStale: true }),
    histogram: (query, caller) => histogramOf(source, { query, caller }),
    stream: (query, caller, forFile, { within, mayBeStale } = {}) =>
      streamList(source, { query, caller, within, forFile, mayBeStale }),
    async retrieve(id, caller, db = services.db) {
      if (!isUuid(id)) throw notFound();
      const [row] = await selectRows(source, [id], { caller, db });
      if (!row) throw notFound();
      return row;
    },
    matchingIds: (query, caller) => matchingIds(source, { query, caller }),
    nameMatching: (query, caller) => nameMatching(source, { query, caller }),
    rows: (ids, caller, db = services.db, operation = undefined) =>
      selectRows(source, ids, { caller, db, operation }),
    show: (rows, operation) =>
      finishRows(
        source,
        rows.map((row) => ({ ...row })),
        { caller: operation.caller, db: operation.tx, operation, forFile: false },
        source.whole,
      ),
  };
}

/** Yields matching rows in batches from one snapshot. A stream has no maximum length. */
async function* streamList(
  source: ReadSource,
  listing: Listing & StaleReads & { readonly forFile: boolean },
): AsyncGenerator<StoredRow[]> {
  const { query, caller, within, forFile } = listing;
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
  const set = await setOf(source, listing);
  const scope = allOf([listScopeOf(mounted, query, caller), within, set]);
  // A standby may not have the set yet: the caller has just stored it.
  const db = databaseFor(source, set ? {} : listing);
  const paging = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
  const rows = sql`
    select ${selectList(mounted, caller, registry, fields)} from ${table} t
    where ${scope} and ${where} order by ${order} ${paging}`;
  const { longReads } = services;
  yield* streamRows<StoredRow, StoredRow>({ db, longReads }, rows, async (batch, tx) => {
    const reading = { caller, db: tx, operation: undefined, forFile };
    const finished = await finishRows(source, batch, reading, fields);
    if (forFile && wantsNames(query)) await writeNames(source, finished, reading, fields);
    return finished;
  });
}

/** Returns the ids of matching rows, at most one above the batch limit. @throws Invalid */
async function matchingIds(source: ReadSource, listing: Listing): Promise<string[]> {
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
async function nameMatching(source: ReadSource, listing: Listing): Promise<NamedSet> {
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
