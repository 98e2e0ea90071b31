import { actionNames, formatDatetime, isUuid, MAX_ITEMS, type Page, readableFields, say } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { Context } from '../context.ts';
import { MAX_LIMIT, neighbours } from '../page.ts';
import { invalid, notFound } from '../problem.ts';
import { linkOf, type Shown, selectList } from './columns.ts';
import { countRows } from './count.ts';
import type { MountedResource, Registry, ResourceServices, StoredRow } from './hooks.ts';
import { readListQuery } from './list-query.ts';
import { pickFields } from './pick.ts';
import { setCondition } from './resource-set.ts';
import { allOf, listScopeOf, scopeOf, targetScopeOf } from './scope.ts';
import { streamRows } from './stream.ts';

/** The readings of one resource. */
export interface Reader {
  /** A bare array, or the envelope when the request has a limit; undefined for more rows than are held in memory at once. */
  list(context: Context): Promise<StoredRow[] | Page<StoredRow> | undefined>;
  /** The rows a list request matches, batch after batch, as they were at its beginning; a `limit` holds. */
  stream(context: Context, detail: boolean): AsyncGenerator<StoredRow[]>;
  /** One row in wire form. @throws Refusal 404 outside the caller's scope. */
  retrieve(id: string, context: Context, db?: Db | Tx): Promise<StoredRow>;
  /** The ids of what a list request matches, without paging; no more than one beyond the limit of a batch. */
  matchingIds(context: Context): Promise<string[]>;
  /** Rows in wire form, in the order of the ids; ids outside the scope are left out. */
  rows(ids: readonly string[], context: Context, db?: Db | Tx): Promise<StoredRow[]>;
}

/** Builds the readings of a mounted resource. */
export function createReader(mounted: MountedResource, registry: Registry, services: ResourceServices): Reader {
  const { resource, hooks } = mounted;
  const table = sql.table(resource.table);

  const finish = async (rows: StoredRow[], context: Context, db: Db | Tx, shown: Shown): Promise<StoredRow[]> => {
    await attachLinks(mounted, registry, rows, context, db, shown);
    await hooks.present?.(rows, context, db);
    const organizationNames = new Map<string, string>();
    for (const row of rows) {
      if (!('org_id' in row)) break;
      const id = String(row.org_id ?? '');
      if (!organizationNames.has(id)) organizationNames.set(id, await services.organizationName(id));
    }
    return rows.map((row) => toWire(mounted, row, context, organizationNames, shown));
  };

  const whole = readableFields(resource, true);
  const select = async (ids: readonly string[], context: Context, db: Db | Tx): Promise<StoredRow[]> => {
    const { rows } = await sql<StoredRow>`
      select ${selectList(mounted, context, registry, whole)} from ${table} t
      where t.id = any (${ids}::uuid[]) and ${scopeOf(mounted, context)}`.execute(db);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return finish(
      ids.flatMap((id): StoredRow[] => {
        const row = byId.get(id);
        return row ? [row] : [];
      }),
      context,
      db,
      whole,
    );
  };

  return {
    async list(context) {
      const query = readListQuery(mounted, context, registry);
      const shown = pickFields(resource, context, false);
      const scope = allOf([listScopeOf(mounted, context), await setCondition(context, services.db)]);
      // The page is found first and filled in after: what is computed for a row is not computed for all the rows before it.
      const page =
        query.limit === undefined
          ? sql`${scope} and ${query.where}`
          : sql`t.id in (select t.id from ${table} t where ${scope} and ${query.where} order by ${query.order} limit ${query.limit} offset ${query.offset})`;
      const { rows } = await sql<StoredRow>`
        select ${selectList(mounted, context, registry, shown)} from ${table} t where ${page} order by ${query.order} limit ${query.limit ?? MAX_LIMIT + 1}`.execute(
        services.db,
      );
      if (query.limit === undefined && rows.length > MAX_LIMIT) return undefined;
      const results = await finish(rows, context, services.db, shown);
      if (query.limit === undefined) return results;
      // A page that is not full tells the total by itself.
      const isLast = rows.length < query.limit && (rows.length > 0 || query.offset === 0);
      const count = isLast
        ? query.offset + rows.length
        : await countRows(services.db, resource.table, sql`${scope} and ${query.where}`, query.offset + rows.length);
      return { count, ...neighbours(context, query.limit, query.offset, count), results };
    },
    async *stream(context, detail) {
      // What is not held in memory may be as long as it likes.
      const query = readListQuery(mounted, context, registry, Number.MAX_SAFE_INTEGER);
      const shown = pickFields(resource, context, detail);
      const scope = allOf([listScopeOf(mounted, context), await setCondition(context, services.db)]);
      const paging = query.limit === undefined ? sql`` : sql`limit ${query.limit} offset ${query.offset}`;
      const rows = sql`
        select ${selectList(mounted, context, registry, shown)} from ${table} t where ${scope} and ${query.where} order by ${query.order} ${paging}`;
      yield* streamRows<StoredRow, StoredRow>(services, rows, (batch, tx) => finish(batch, context, tx, shown));
    },
    async matchingIds(context) {
      const { where, narrows } = readListQuery(mounted, context, registry);
      const set = await setCondition(context, services.db);
      // Nothing but the whole list was named: a forgotten filter must not empty it, also when it has one row only.
      if (!narrows && !set) throw invalid('non_field_errors', 'too_many_matches');
      const scope = allOf([scopeOf(mounted, context), set]);
      const { rows } = await sql<{ id: string }>`select t.id from ${table} t where ${scope} and ${where} limit ${MAX_ITEMS + 1}`.execute(services.db);
      return rows.map((row) => row.id);
    },
    async retrieve(id, context, db = services.db) {
      if (!isUuid(id)) throw notFound();
      const [row] = await select([id], context, db);
      if (!row) throw notFound();
      return row;
    },
    rows: (ids, context, db = services.db) => select(ids, context, db),
  };
}

async function attachLinks(mounted: MountedResource, registry: Registry, rows: StoredRow[], context: Context, db: Db | Tx, shown: Shown): Promise<void> {
  if (rows.length === 0) return;
  const ids = rows.map((row) => row.id);
  for (const [name, field] of shown) {
    if (field.kind !== 'many') continue;
    const link = linkOf(mounted.resource, name, registry);
    const target = registry.get(field.target ?? '');
    const other = link.reverse ? sql`` : sql`join ${sql.table(target?.resource.table ?? '')} t on t.id = ${sql.ref(`link.${link.other}`)}`;
    // Links that leave the organization are not shown: a user's groups elsewhere are nobody's business here.
    const scope = target && !link.reverse ? targetScopeOf(mounted, name, target, context) : sql`true`;
    const found = await sql<{ own: string; others: string[] }>`
      select ${sql.ref(`link.${link.own}`)} as own, array_agg(${sql.ref(`link.${link.other}`)} order by ${sql.ref(`link.${link.other}`)})::text[] as others
      from ${sql.table(link.table)} link ${other}
      where ${sql.ref(`link.${link.own}`)} = any (${ids}::uuid[]) and ${scope} group by 1`.execute(db);
    const byOwner = new Map(found.rows.map((row) => [row.own, row.others]));
    for (const row of rows) row[name] = byOwner.get(String(row.id)) ?? [];
  }
}

function toWire(mounted: MountedResource, row: StoredRow, context: Context, organizationNames: ReadonlyMap<string, string>, shown: Shown): StoredRow {
  const wire: StoredRow = {};
  for (const [name, field] of shown) {
    let value = row[name];
    const from = field.kind === 'computed' ? field.computedFrom : undefined;
    if (value instanceof Date) value = formatDatetime(value, context.zone);
    else if (field.kind === 'flags') value = actionNames(Number(value));
    else if (from && 'choiceLabel' in from) {
      const choice = mounted.resource.fields[from.choiceLabel]?.choices?.find((candidate) => candidate.value === row[from.choiceLabel]);
      value = choice ? say(choice.label, context.language) : String(row[from.choiceLabel] ?? '');
    } else if (from && 'organizationName' in from) value = organizationNames.get(String(row.org_id ?? ''));
    wire[name] = value ?? null;
  }
  return wire;
}
