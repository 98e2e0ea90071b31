import { type BodyMode, type FieldProblems, isUuid, MAX_ITEMS, type Problem, parseBody, readableFields, writableFields } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { Context } from '../context.ts';
import { Invalid, InvalidItems, invalid, notFound } from '../problem.ts';
import { changesBetween, lostWith } from './changes.ts';
import { selectList } from './columns.ts';
import { refusalOfDatabase } from './database-refusal.ts';
import type { MountedResource, Registry, ResourceServices, StoredRow, Values } from './hooks.ts';
import { replaceManyLinks, unknownReferences } from './links.ts';
import type { Counting } from './progress.ts';
import type { Reader } from './read.ts';
import { insertRows, updateRow } from './rows.ts';
import { scopeOf } from './scope.ts';

/** The writings of one resource: each checks, changes and leaves its audit entries in one transaction. */
export interface Writer {
  /** Creates one row and answers it in wire form. @throws Invalid */
  create(body: unknown, context: Context): Promise<StoredRow>;
  /** Creates rows, all or none. @throws InvalidItems, aligned with the bodies */
  createMany(bodies: readonly unknown[], context: Context): Promise<StoredRow[]>;
  /** Replaces (all required fields) or changes (the given fields) a row. @throws Invalid, Refusal 404 */
  update(id: string, body: unknown, mode: Exclude<BodyMode, 'create'>, context: Context): Promise<StoredRow>;
  /** Updates rows that name themselves by `id` or `pk`, all or none. @throws InvalidItems, aligned with the bodies */
  updateMany(bodies: readonly unknown[], mode: Exclude<BodyMode, 'create'>, context: Context): Promise<StoredRow[]>;
  /** Deletes rows, all or none. @throws Refusal 404 when one of them is outside the caller's scope */
  remove(ids: readonly string[], context: Context): Promise<void>;
}

/** One body on its way to a row. */
interface Item {
  id: string;
  readonly values: Values;
  readonly problems: Record<string, Problem[]>;
  previous: StoredRow | undefined;
}

const NEVER_YEARS = 70;
/** Rows that are written together: few enough for one statement's parameters. */
const CHUNK = 500;
/** A batch can be tried without being done: the console shows every row's verdict before anything is written. */
const isRehearsal = ({ query }: Context) => query.get('dry_run') === '1';
const isBad = (item: Item) => Object.keys(item.problems).length > 0;

/** Ends the transaction of a rehearsal. */
class Rehearsed extends Error {
  readonly rows: StoredRow[];

  constructor(rows: StoredRow[]) {
    super('rehearsed');
    this.rows = rows;
  }
}

/** Builds the writings of a mounted resource. One row and many rows take the same road. */
export function createWriter(mounted: MountedResource, registry: Registry, services: ResourceServices, reader: Reader): Writer {
  const { resource, hooks } = mounted;
  const table = sql.table(resource.table);
  const describe = hooks.describe ?? ((row: StoredRow) => String(row[resource.labelField] ?? row.id));

  /** The rows as they are stored, locked until the transaction ends, in one order for everybody. */
  const lock = async (ids: readonly string[], context: Context, tx: Tx): Promise<Map<string, StoredRow>> => {
    const { rows } = await sql<StoredRow>`
      select ${selectList(mounted, context, registry, readableFields(resource, true))} from ${table} t
      where t.id = any (${ids}::uuid[]) and ${scopeOf(mounted, context)} order by t.id for update of t`.execute(tx);
    return new Map(rows.map((row) => [String(row.id), row]));
  };

  /** Writes the rows of good items; what the database refuses becomes the problem of the item it refused. */
  const writeRows = async (items: readonly Item[], context: Context, tx: Tx, counting: Counting): Promise<void> => {
    const apply = async (part: readonly Item[]): Promise<void> => {
      for (const item of part) if (item.previous) await updateRow(mounted, item.id, item.values, services.vault, tx);
      const fresh = part.filter((item) => !item.previous);
      if (hooks.insert) for (const item of fresh) item.id = await hooks.insert(item.values, context, tx);
      else
        for (const [index, id] of (
          await insertRows(
            mounted,
            fresh.map((item) => item.values),
            services.vault,
            context,
            tx,
          )
        ).entries())
          Object.assign(fresh[index] ?? {}, { id });
    };
    const good = items.filter((item) => !isBad(item));
    counting.passed(items.length - good.length);
    // Together first, because that is quick; one by one only where that fails, to hear about each.
    for (let start = 0; start < good.length; start += CHUNK) {
      const chunk = good.slice(start, start + CHUNK);
      const isNew = chunk.map((item) => item.id === '');
      if (await attempt(tx, () => apply(chunk))) {
        counting.passed(chunk.length);
        continue;
      }
      for (const [index, item] of chunk.entries()) {
        counting.passed(1);
        if (isNew[index]) item.id = '';
        await attempt(
          tx,
          () => apply([item]),
          (problems) => Object.assign(item.problems, problems),
        );
      }
    }
  };

  /** Does something, and undoes it when it is refused for a field's sake. */
  const attempt = async (tx: Tx, work: () => Promise<void>, refused?: (problems: FieldProblems) => void): Promise<boolean> => {
    await sql`savepoint attempt`.execute(tx);
    try {
      await work();
      await sql`release savepoint attempt`.execute(tx);
      return true;
    } catch (error) {
      const refusal = refusalOfDatabase(error, resource) ?? error;
      if (!(refusal instanceof Invalid)) throw refusal;
      await sql`rollback to savepoint attempt`.execute(tx);
      refused?.(refusal.problems);
      return false;
    }
  };

  /** Asks the resource's own rules about every item. */
  const applyRules = async (items: readonly Item[], context: Context, tx: Tx, counting: Counting): Promise<void> => {
    for (const item of items) {
      counting.passed(1);
      if (isBad(item)) continue;
      try {
        await hooks.beforeSave?.(item.values, item.previous, context, tx);
      } catch (error) {
        if (!(error instanceof Invalid)) throw error;
        Object.assign(item.problems, error.problems);
      }
    }
  };

  const assertGood = (items: readonly Item[]): void => {
    if (items.some(isBad)) throw new InvalidItems(items.map((item) => item.problems));
  };

  const save = async (items: readonly Item[], context: Context, rehearse = false): Promise<StoredRow[]> => {
    const counting = services.progress.begin(context, items.length);
    return transact((tx) => saveIn(tx, items, context, rehearse, counting)).finally(counting.end);
  };

  const saveIn = async (tx: Tx, items: readonly Item[], context: Context, rehearse: boolean, counting: Counting): Promise<StoredRow[]> => {
    const updated = items.filter((item) => item.id !== '');
    const locked =
      updated.length > 0
        ? await lock(
            updated.map((item) => item.id),
            context,
            tx,
          )
        : new Map<string, StoredRow>();
    for (const item of updated) {
      item.previous = locked.get(item.id);
      if (!item.previous && !isBad(item)) item.problems.id = [{ code: 'unknown_object', params: { value: item.id } }];
    }
    const before = new Map((updated.length > 0 ? await reader.rows([...locked.keys()], context, tx) : []).map((row) => [String(row.id), row]));
    const unknown = await unknownReferences(
      mounted,
      items.map((item) => item.values),
      registry,
      context,
      tx,
    );
    for (const [index, problems] of unknown.entries()) Object.assign(items[index]?.problems ?? {}, problems);
    await applyRules(items, context, tx, counting);
    await writeRows(items, context, tx, counting);
    assertGood(items);
    for (const [name, field] of writableFields(resource)) {
      const owners = items.filter((item) => field.kind === 'many' && name in item.values);
      if (owners.length > 0)
        await replaceManyLinks(
          mounted,
          name,
          owners.map((item) => ({ own: item.id, others: item.values[name] as string[], isNew: !item.previous })),
          registry,
          context,
          tx,
        );
    }
    await hooks.afterSave?.(
      items.map(({ id, values, previous }) => ({ id, values, previous })),
      context,
      tx,
    );
    counting.passed(items.length);
    const rows = await reader.rows(
      items.map((item) => item.id),
      context,
      tx,
    );
    counting.passed(items.length);
    if (resource.audited) {
      const entries = items.flatMap((item, index) => {
        const row = rows[index];
        if (!row) return [];
        const changes = changesBetween(resource, before.get(item.id), row, item.values);
        // A change that changed nothing is no news.
        if (item.previous && Object.keys(changes).length === 0) return [];
        return [
          {
            action: item.previous ? ('update' as const) : ('create' as const),
            resourceType: resource.name,
            resource: describe(row),
            resourceId: item.id,
            changes,
          },
        ];
      });
      await services.audit(tx, context, ...entries);
    }
    counting.passed(items.length);
    // A rehearsal goes the whole way, so that its verdict is the real one, and then leaves nothing behind.
    if (rehearse) throw new Rehearsed(rows);
    return rows;
  };

  const transact = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    try {
      return await services.db.transaction().execute(async (tx) => {
        await services.takeTurn(resource, tx);
        return work(tx);
      });
    } catch (error) {
      if (error instanceof Rehearsed) return error.rows as T;
      throw refusalOfDatabase(error, resource) ?? error;
    }
  };

  const read = (body: unknown, mode: BodyMode, id: string, { zone }: Context): Item => {
    const { values, problems } = parseBody(resource.fields, body, mode, zone);
    if (mode === 'create') {
      for (const [name, field] of writableFields(resource)) {
        if (field.kind === 'datetime' && field.defaultValue === 'never' && !(name in values)) values[name] = yearsFromNow(NEVER_YEARS);
      }
    }
    return { id, values, problems, previous: undefined };
  };

  /** One item alone: its problems are the body's, not a list's. */
  const saveOne = async (item: Item, context: Context): Promise<StoredRow> => {
    if (isBad(item)) throw new Invalid(item.problems);
    try {
      const [row] = await save([item], context);
      if (!row) throw notFound();
      return row;
    } catch (error) {
      if (!(error instanceof InvalidItems)) throw error;
      throw error.items[0]?.id && item.id !== '' ? notFound() : new Invalid(error.items[0] ?? {});
    }
  };

  return {
    create: (body, context) => saveOne(read(body, 'create', '', context), context),
    update: async (id, body, mode, context) => {
      if (!isUuid(id)) throw notFound();
      return saveOne(read(body, mode, id.toLowerCase(), context), context);
    },
    async createMany(bodies, context) {
      assertCount(bodies);
      return bodies.length === 0 ? [] : save(withoutTwins(bodies.map((body) => read(body, 'create', '', context))), context, isRehearsal(context));
    },
    async updateMany(bodies, mode, context) {
      assertCount(bodies);
      const items = bodies.map((body) => {
        const { id, pk } = (body ?? {}) as { id?: unknown; pk?: unknown };
        const own = id ?? pk;
        const item = read(body, mode, isUuid(own) ? own.toLowerCase() : '', context);
        if (own === undefined) item.problems.id = [{ code: 'required' }];
        else if (!isUuid(own)) item.problems.id = [{ code: 'not_uuid', params: { value: String(own).slice(0, 64) } }];
        return item;
      });
      return items.length === 0 ? [] : save(withoutTwins(items), context, isRehearsal(context));
    },
    remove: (ids, context) =>
      transact(async (tx) => {
        const wanted = [...new Set(ids)];
        const locked = await lock(wanted, context, tx);
        if (locked.size < wanted.length) throw notFound();
        const held = resource.audited ? await reader.rows([...locked.keys()], context, tx) : [];
        const lost = new Map(held.map((row) => [String(row.id), lostWith(resource, row)]));
        for (const [id, row] of locked) {
          await hooks.beforeDelete?.(row, context, tx);
          if (hooks.remove) await hooks.remove(row, context, tx);
          else await sql`delete from ${table} where id = ${id}`.execute(tx);
        }
        if (!resource.audited) return;
        await services.audit(
          tx,
          context,
          ...[...locked].map(([id, row]) => ({
            action: 'delete' as const,
            resourceType: resource.name,
            resource: describe(row),
            resourceId: id,
            ...(lost.has(id) && { changes: lost.get(id) ?? {} }),
          })),
        );
      }),
  };
}

function assertCount(bodies: readonly unknown[]): void {
  if (bodies.length > MAX_ITEMS) throw invalid('non_field_errors', 'list_too_long', { max: MAX_ITEMS });
}

/** Two bodies for one row cannot both be right. */
function withoutTwins(items: Item[]): Item[] {
  const seen = new Set<string>();
  for (const item of items) {
    const id = item.id || String(item.values.id ?? '');
    if (id && seen.has(id)) item.problems.id = [{ code: 'list_duplicate', params: { value: id } }];
    seen.add(id);
  }
  return items;
}

function yearsFromNow(years: number): Date {
  return new Date(Date.now() + years * 365 * 86_400_000);
}

/** Reads a path's `{id}` or comma-joined `{id},{id}`. */
export function readIds(text: string): string[] {
  const ids = text.split(',');
  if (ids.length > MAX_ITEMS || !ids.every((id) => isUuid(id))) throw notFound();
  return ids.map((id) => id.toLowerCase());
}
