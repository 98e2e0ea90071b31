import { isUuid, MAX_ITEMS, type NamedSet, readableFields } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../platform/actor.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/errors.ts';
import { type Shown, selectList } from './columns.ts';
import { countRows, expectedOf } from './count.ts';
import { wantsNames } from './csv/columns.ts';
import type {
  MountedResource,
  Reading,
  Registry,
  ResourceServices,
  Sql,
  StoredRow,
} from './hooks.ts';
import { readListQuery } from './list-query.ts';
import { keepReadableReferences } from './named-objects.ts';
import { writeNames } from './names.ts';
import type { Operation } from './operation.ts';
import { type Counted, MAX_LIMIT } from './page.ts';
import { pickFields } from './pick.ts';
import { setCondition, storeQuery } from './resource-set.ts';
import { allOf, listScopeOf, scopeOf } from './scope.ts';
import { withinPatternTime } from './search-text.ts';
import { streamRows } from './stream.ts';
import { attachLinks, toWire } from './wire-rows.ts';

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
  /**
   * Yields matching rows in batches from one snapshot; respects `limit`. `within` is an additional
   * condition.
   */
  stream(
    query: URLSearchParams,
    caller: Caller,
    forFile: boolean,
    within?: Sql,
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
  const { resource, hooks } = mounted;
  const table = sql.table(resource.table);

  const finish = async (
    rows: StoredRow[],
    reading: Reading,
    fields: Shown,
  ): Promise<StoredRow[]> => {
    const { caller, db } = reading;
    await attachLinks(mounted, registry, rows, caller, db, fields);
    await keepReadableReferences(rows, registry, reading);
    await hooks.present?.(rows, reading);
    const organizationNames = new Map<string, string>();
    for (const row of rows) {
      if (!('org_id' in row)) break;
      const id = String(row.org_id ?? '');
      if (!organizationNames.has(id))
        organizationNames.set(id, await services.organizationName(id));
    }
    return rows.map((row) => toWire(mounted, row, caller, organizationNames, fields));
  };

  /** Returns the rows that the hook `elsewhere` finds. */
  const foundElsewhere = async (query: URLSearchParams, caller: Caller) => ({
    found: (await hooks.elsewhere?.find(query, caller)) ?? [],
  });
  /** Regular expressions from the caller run with a timeout. */
  const timedBy =
    (hasPattern: boolean) =>
    <T>(run: (db: Db) => Promise<T>): Promise<T> =>
      hasPattern ? withinPatternTime(services.db, run) : run(services.db);

  const whole = readableFields(resource, true);
  /** Column by which other objects name a row; sets of names use it. */
  const name = resource.key === undefined ? undefined : sql.ref(`t.${resource.key}`);
  const select = async (
    ids: readonly string[],
    caller: Caller,
    db: Db | Tx,
    operation?: Operation,
  ): Promise<StoredRow[]> => {
    const { rows } = await sql<StoredRow>`
      select ${selectList(mounted, caller, registry, whole)} from ${table} t
      where t.id = any (${ids}::uuid[]) and ${scopeOf(mounted, caller)}`.execute(db);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const ordered = ids.flatMap((id): StoredRow[] => {
      const row = byId.get(id);
      return row ? [row] : [];
    });
    return finish(ordered, { caller, db, operation, forFile: false }, whole);
  };

  return {
    async list(query, caller, within) {
      const { where, order, limit, offset, hasPattern } = readListQuery(
        mounted,
        query,
        caller,
        registry,
        await foundElsewhere(query, caller),
      );
      const timed = timedBy(hasPattern);
      const fields = pickFields(resource, query, false);
      const scope = allOf([
        listScopeOf(mounted, query, caller),
        within,
        await setCondition(query, caller, services.db, sql`t.id`, name),
      ]);
      const matching = sql`${scope} and ${where}`;
      const fill = (rows: StoredRow[]) =>
        finish(rows, { caller, db: services.db, operation: undefined, forFile: false }, fields);
      const filled = selectList(mounted, caller, registry, fields);
      if (limit === undefined) {
        const { rows } = await timed((db) =>
          sql<StoredRow>`select ${filled} from ${table} t where ${matching} order by ${order} limit ${MAX_LIMIT + 1}`.execute(
            db,
          ),
        );
        return rows.length > MAX_LIMIT ? undefined : fill(rows);
      }
      const isSearch = Boolean(query.get('search'));
      const expected = isSearch
        ? await timed((db) => expectedOf(db, resource.table, matching))
        : undefined;
      // With few matches, sort all of them. Walking an index in list order could read the whole
      // table before it finds a page.
      const isFoundAtOnce = expected?.isFew === true;
      const counted = () => timed((db) => countRows(db, resource.table, matching, expected));
      // Select the ids of the page first: computed columns are then evaluated for its rows only.
      const read = (db: Db) =>
        sql<StoredRow & { found_count: number }>`
        with page as materialized (
          select t.id, ${isFoundAtOnce ? sql`count(*) over ()` : sql`0`} as found_count
          from ${table} t where ${matching} order by ${order} limit ${limit} offset ${offset}
        )
        select ${filled}, (select found_count from page limit 1) as found_count from ${table} t
        where t.id in (select id from page) order by ${order} limit ${limit}`.execute(db);
      const [{ rows: pageRows }, early] = await Promise.all([
        timed(read),
        // A slow search is slow to count, so run both at the same time.
        isSearch && !isFoundAtOnce ? counted() : undefined,
      ]);
      const results = await fill(pageRows.map(({ found_count: _, ...row }) => row));
      const [first] = pageRows;
      if (isFoundAtOnce && first) return { count: first.found_count, results };
      // A page that is not full reveals the total.
      const isLast = results.length < limit && (results.length > 0 || offset === 0);
      if (isLast) return { count: offset + results.length, results };
      const { count, isExact } = early ?? (await counted());
      return { count: isExact ? count : Math.max(offset + results.length + 1, count), results };
    },
    async find(within, fields, limit, caller) {
      const query = new URLSearchParams({ fields: fields.join(',') });
      const { order } = readListQuery(mounted, query, caller, registry);
      const picked = pickFields(resource, query, false);
      const { rows } = await sql<StoredRow>`
        select ${selectList(mounted, caller, registry, picked)} from ${table} t
        where ${listScopeOf(mounted, query, caller)} and ${within}
        order by ${order} limit ${limit}`.execute(services.db);
      return finish(
        rows,
        { caller, db: services.db, operation: undefined, forFile: false },
        picked,
      );
    },
    async *stream(query, caller, forFile, within) {
      // Streams have no maximum length.
      const { where, order, limit, offset, hasPattern } = readListQuery(
        mounted,
        query,
        caller,
        registry,
        {
          maxLimit: Number.MAX_SAFE_INTEGER,
          ...(await foundElsewhere(query, caller)),
        },
      );
      // Test the pattern first: once a file has begun, an error can no longer be sent.
      if (hasPattern)
        await withinPatternTime(services.db, (tx) =>
          sql`select 1 from ${table} t where ${where} limit 1`.execute(tx),
        );
      const fields = pickFields(resource, query, forFile);
      const scope = allOf([
        listScopeOf(mounted, query, caller),
        within,
        await setCondition(query, caller, services.db, sql`t.id`, name),
      ]);
      const paging = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
      const rows = sql`
        select ${selectList(mounted, caller, registry, fields)} from ${table} t
        where ${scope} and ${where} order by ${order} ${paging}`;
      yield* streamRows<StoredRow, StoredRow>(services, rows, async (batch, tx) => {
        const finished = await finish(
          batch,
          { caller, db: tx, operation: undefined, forFile },
          fields,
        );
        if (forFile && wantsNames(query))
          await writeNames(mounted, finished, fields, registry, caller, tx);
        return finished;
      });
    },
    async matchingIds(query, caller) {
      const { where, narrows, hasPattern } = readListQuery(
        mounted,
        query,
        caller,
        registry,
        await foundElsewhere(query, caller),
      );
      const set = await setCondition(query, caller, services.db, sql`t.id`, name);
      // Reject an unfiltered request, even for one row: a forgotten filter must not empty the list.
      if (!narrows && !set) throw invalid('non_field_errors', 'too_many_matches');
      const scope = allOf([scopeOf(mounted, caller), set]);
      const idQuery = sql<{
        id: string;
      }>`select t.id from ${table} t where ${scope} and ${where} limit ${MAX_ITEMS + 1}`;
      const { rows } = await timedBy(hasPattern)((db) => idQuery.execute(db));
      return rows.map((row) => row.id);
    },
    async nameMatching(query, caller) {
      const { where, hasPattern } = readListQuery(
        mounted,
        query,
        caller,
        registry,
        await foundElsewhere(query, caller),
      );
      const scope = allOf([
        scopeOf(mounted, caller),
        await setCondition(query, caller, services.db, sql`t.id`, name),
      ]);
      return timedBy(hasPattern)((db) =>
        storeQuery(
          sql`select t.id from ${table} t where ${scope} and ${where}`,
          caller.actor.userId,
          db,
        ),
      );
    },
    async retrieve(id, caller, db = services.db) {
      if (!isUuid(id)) throw notFound();
      const [row] = await select([id], caller, db);
      if (!row) throw notFound();
      return row;
    },
    rows: (ids, caller, db = services.db, operation = undefined) =>
      select(ids, caller, db, operation),
    show: (rows, operation) =>
      finish(
        rows.map((row) => ({ ...row })),
        { caller: operation.caller, db: operation.tx, operation, forFile: false },
        whole,
      ),
  };
}
