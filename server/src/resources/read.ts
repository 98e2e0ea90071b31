import {
  actionNames,
  choicesOf,
  formatDatetime,
  isUuid,
  MAX_ITEMS,
  type NamedSet,
  readableFields,
  say,
  targetOf,
} from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../platform/actor.ts';
import type { Db, Tx } from '../platform/db/database.ts';
import { invalid, notFound } from '../platform/errors.ts';
import { linkOf, type Shown, selectList } from './columns.ts';
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
import { keepNamed } from './named-objects.ts';
import { writeNames } from './names.ts';
import type { Operation } from './operation.ts';
import { type Counted, MAX_LIMIT } from './page.ts';
import { pickFields } from './pick.ts';
import { setCondition, storeFound } from './resource-set.ts';
import { allOf, listScopeOf, scopeOf, targetScopeOf } from './scope.ts';
import { withinPatternTime } from './search-text.ts';
import { streamRows } from './stream.ts';

/** The readings of one resource. */
export interface Reader {
  /** A bare array, or a page when the query has a limit; undefined for more rows than are held in memory at once. `within` narrows it further. */
  list(
    query: URLSearchParams,
    caller: Caller,
    within?: Sql,
  ): Promise<StoredRow[] | Counted<StoredRow> | undefined>;
  /** Rows that a list may show in its usual order, with some fields only and without a count: those that `within` holds for. */
  find(within: Sql, fields: readonly string[], limit: number, caller: Caller): Promise<StoredRow[]>;
  /** The rows a query matches, batch after batch, as they were at its beginning; a `limit` holds. `within` narrows it further. */
  stream(
    query: URLSearchParams,
    caller: Caller,
    forFile: boolean,
    within?: Sql,
  ): AsyncGenerator<StoredRow[]>;
  /** One row in wire form. @throws NotFound outside the caller's scope. */
  retrieve(id: string, caller: Caller, db?: Db | Tx): Promise<StoredRow>;
  /** The ids of what a query matches, without paging; no more than one beyond the limit of a batch. */
  matchingIds(query: URLSearchParams, caller: Caller): Promise<string[]>;
  /** Names everything that a query matches, without paging, as a set of the caller. @throws Invalid for more than a set holds */
  nameMatching(query: URLSearchParams, caller: Caller): Promise<NamedSet>;
  /** Rows in wire form, in the order of the ids; ids outside the scope are left out. */
  rows(
    ids: readonly string[],
    caller: Caller,
    db?: Db | Tx,
    operation?: Operation,
  ): Promise<StoredRow[]>;
  /** Rows that were read as they are stored, in wire form. They are not changed. */
  show(rows: readonly StoredRow[], operation: Operation): Promise<StoredRow[]>;
}

/** Builds the readings of a mounted resource. */
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
    shown: Shown,
  ): Promise<StoredRow[]> => {
    const { caller, db } = reading;
    await attachLinks(mounted, registry, rows, caller, db, shown);
    await keepNamed(rows, registry, reading);
    await hooks.present?.(rows, reading);
    const organizationNames = new Map<string, string>();
    for (const row of rows) {
      if (!('org_id' in row)) break;
      const id = String(row.org_id ?? '');
      if (!organizationNames.has(id))
        organizationNames.set(id, await services.organizationName(id));
    }
    return rows.map((row) => toWire(mounted, row, caller, organizationNames, shown));
  };

  /** What was found elsewhere for a query. */
  const asked = async (query: URLSearchParams, caller: Caller) => ({
    found: (await hooks.elsewhere?.find(query, caller)) ?? [],
  });
  /** What a pattern of the caller decides is given up after a while. */
  const timedBy =
    (hasPattern: boolean) =>
    <T>(run: (db: Db) => Promise<T>): Promise<T> =>
      hasPattern ? withinPatternTime(services.db, run) : run(services.db);

  const whole = readableFields(resource, true);
  /** What other objects know a row by; a set of names finds it. */
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
    const found = ids.flatMap((id): StoredRow[] => {
      const row = byId.get(id);
      return row ? [row] : [];
    });
    return finish(found, { caller, db, operation, forFile: false }, whole);
  };

  return {
    async list(query, caller, within) {
      const { where, order, limit, offset, hasPattern } = readListQuery(
        mounted,
        query,
        caller,
        registry,
        await asked(query, caller),
      );
      const timed = timedBy(hasPattern);
      const shown = pickFields(resource, query, false);
      const scope = allOf([
        listScopeOf(mounted, query, caller),
        within,
        await setCondition(query, caller, services.db, sql`t.id`, name),
      ]);
      const wanted = sql`${scope} and ${where}`;
      const fill = (rows: StoredRow[]) =>
        finish(rows, { caller, db: services.db, operation: undefined, forFile: false }, shown);
      const filled = selectList(mounted, caller, registry, shown);
      if (limit === undefined) {
        const { rows } = await timed((db) =>
          sql<StoredRow>`select ${filled} from ${table} t where ${wanted} order by ${order} limit ${MAX_LIMIT + 1}`.execute(
            db,
          ),
        );
        return rows.length > MAX_LIMIT ? undefined : fill(rows);
      }
      const isSearch = Boolean(query.get('search'));
      const expected = isSearch
        ? await timed((db) => expectedOf(db, resource.table, wanted))
        : undefined;
      // Of a search that finds few rows, the page is taken from all of them: to walk through the list in its order until some come by may take the whole list.
      const isFoundAtOnce = expected?.isFew === true;
      const counted = () => timed((db) => countRows(db, resource.table, wanted, expected));
      // The page is found first and filled in after: what is computed for a row is not computed for all the rows before it.
      const read = (db: Db) =>
        sql<StoredRow & { found_count: number }>`
        with page as materialized (
          select t.id, ${isFoundAtOnce ? sql`count(*) over ()` : sql`0`} as found_count from ${table} t where ${wanted} order by ${order} limit ${limit} offset ${offset}
        )
        select ${filled}, (select found_count from page limit 1) as found_count from ${table} t where t.id in (select id from page) order by ${order} limit ${limit}`.execute(
          db,
        );
      const [{ rows: found }, early] = await Promise.all([
        timed(read),
        // What is slow to find is slow to count: both at the same time.
        isSearch && !isFoundAtOnce ? counted() : undefined,
      ]);
      const results = await fill(found.map(({ found_count: _, ...row }) => row));
      const [first] = found;
      if (isFoundAtOnce && first) return { count: first.found_count, results };
      // A page that is not full tells the total by itself.
      const isLast = results.length < limit && (results.length > 0 || offset === 0);
      if (isLast) return { count: offset + results.length, results };
      const { count, isExact } = early ?? (await counted());
      return { count: isExact ? count : Math.max(offset + results.length + 1, count), results };
    },
    async find(within, fields, limit, caller) {
      const query = new URLSearchParams({ fields: fields.join(',') });
      const { order } = readListQuery(mounted, query, caller, registry);
      const shown = pickFields(resource, query, false);
      const { rows } = await sql<StoredRow>`
        select ${selectList(mounted, caller, registry, shown)} from ${table} t
        where ${listScopeOf(mounted, query, caller)} and ${within} order by ${order} limit ${limit}`.execute(
        services.db,
      );
      return finish(rows, { caller, db: services.db, operation: undefined, forFile: false }, shown);
    },
    async *stream(query, caller, forFile, within) {
      // What is not held in memory may be as long as it likes.
      const { where, order, limit, offset, hasPattern } = readListQuery(
        mounted,
        query,
        caller,
        registry,
        {
          maxLimit: Number.MAX_SAFE_INTEGER,
          ...(await asked(query, caller)),
        },
      );
      // A file has no place for an error once it has begun.
      if (hasPattern)
        await withinPatternTime(services.db, (tx) =>
          sql`select 1 from ${table} t where ${where} limit 1`.execute(tx),
        );
      const shown = pickFields(resource, query, forFile);
      const scope = allOf([
        listScopeOf(mounted, query, caller),
        within,
        await setCondition(query, caller, services.db, sql`t.id`, name),
      ]);
      const paging = limit === undefined ? sql`` : sql`limit ${limit} offset ${offset}`;
      const rows = sql`
        select ${selectList(mounted, caller, registry, shown)} from ${table} t where ${scope} and ${where} order by ${order} ${paging}`;
      yield* streamRows<StoredRow, StoredRow>(services, rows, async (batch, tx) => {
        const finished = await finish(
          batch,
          { caller, db: tx, operation: undefined, forFile },
          shown,
        );
        if (forFile && wantsNames(query))
          await writeNames(mounted, finished, shown, registry, caller, tx);
        return finished;
      });
    },
    async matchingIds(query, caller) {
      const { where, narrows, hasPattern } = readListQuery(
        mounted,
        query,
        caller,
        registry,
        await asked(query, caller),
      );
      const set = await setCondition(query, caller, services.db, sql`t.id`, name);
      // Nothing but the whole list was named: a forgotten filter must not empty it, also when it has one row only.
      if (!narrows && !set) throw invalid('non_field_errors', 'too_many_matches');
      const scope = allOf([scopeOf(mounted, caller), set]);
      const found = sql<{
        id: string;
      }>`select t.id from ${table} t where ${scope} and ${where} limit ${MAX_ITEMS + 1}`;
      const { rows } = await timedBy(hasPattern)((db) => found.execute(db));
      return rows.map((row) => row.id);
    },
    async nameMatching(query, caller) {
      const { where, hasPattern } = readListQuery(
        mounted,
        query,
        caller,
        registry,
        await asked(query, caller),
      );
      const scope = allOf([
        scopeOf(mounted, caller),
        await setCondition(query, caller, services.db, sql`t.id`, name),
      ]);
      return timedBy(hasPattern)((db) =>
        storeFound(
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

/** Fills in the links of rows, those of all fields with one query. */
async function attachLinks(
  mounted: MountedResource,
  registry: Registry,
  rows: StoredRow[],
  caller: Caller,
  db: Db | Tx,
  shown: Shown,
): Promise<void> {
  const names = shown.filter(([, field]) => field.kind === 'many').map(([name]) => name);
  if (rows.length === 0 || names.length === 0) return;
  const ids = rows.map((row) => row.id);
  const linksOf = (name: string) => {
    const link = linkOf(mounted.resource, name, registry);
    const target = registry.get(targetOf(mounted.resource.fields[name]) ?? '');
    const other = link.reverse
      ? sql``
      : sql`join ${sql.table(target?.resource.table ?? '')} t on t.id = ${sql.ref(`link.${link.other}`)}`;
    // Links that leave the organization are not shown: a user's groups elsewhere must not be visible here.
    const scope =
      target && !link.reverse ? targetScopeOf(mounted, name, target, caller) : sql`true`;
    return sql`
      select ${name}::text as field, ${sql.ref(`link.${link.own}`)} as own, array_agg(${sql.ref(`link.${link.other}`)} order by ${sql.ref(`link.${link.other}`)})::text[] as others
      from ${sql.table(link.table)} link ${other}
      where ${sql.ref(`link.${link.own}`)} = any (${ids}::uuid[]) and ${scope} group by 2`;
  };
  const found = await sql<{
    field: string;
    own: string;
    others: string[];
  }>`${sql.join(names.map(linksOf), sql` union all `)}`.execute(db);
  const byOwner = new Map(found.rows.map((row) => [`${row.field} ${row.own}`, row.others]));
  for (const row of rows)
    for (const name of names) row[name] = byOwner.get(`${name} ${row.id}`) ?? [];
}

function toWire(
  mounted: MountedResource,
  row: StoredRow,
  caller: Caller,
  organizationNames: ReadonlyMap<string, string>,
  shown: Shown,
): StoredRow {
  const wire: StoredRow = {};
  for (const [name, field] of shown) {
    let value = row[name];
    const from = field.kind === 'computed' ? field.computedFrom : undefined;
    if (value instanceof Date) value = formatDatetime(value, caller.zone);
    else if (field.kind === 'flags') value = actionNames(Number(value));
    else if (from && 'choiceLabel' in from) {
      const choice = choicesOf(mounted.resource.fields[from.choiceLabel])?.find(
        (candidate) => candidate.value === row[from.choiceLabel],
      );
      value = choice ? say(choice.label, caller.language) : String(row[from.choiceLabel] ?? '');
    } else if (from && 'organizationName' in from)
      value = organizationNames.get(String(row.org_id ?? ''));
    wire[name] = value ?? null;
  }
  return wire;
}
