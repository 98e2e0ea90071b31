import { actionMask, type BodyMode, type Field, isUuid, MAX_ITEMS, type Problem, parseBody, writableFields } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import { sqlState } from '../../platform/db/database.ts';
import type { Context } from '../context.ts';
import { Invalid, notFound, Refusal } from '../problem.ts';
import { changesBetween } from './changes.ts';
import { columnOf, linkOf, selectList } from './columns.ts';
import type { MountedResource, Registry, ResourceServices, StoredRow, Values } from './hooks.ts';
import { assertReferences, replaceLinks } from './links.ts';
import type { Reader } from './read.ts';
import { scopeOf } from './scope.ts';

/** The writings of one resource: each checks, changes and leaves its audit entry in one transaction. */
export interface Writer {
  /** Creates one row and answers it in wire form. @throws Invalid */
  create(body: unknown, context: Context): Promise<StoredRow>;
  /** Replaces (all required fields) or changes (the given fields) a row. @throws Invalid, Refusal 404 */
  update(id: string, body: unknown, mode: Exclude<BodyMode, 'create'>, context: Context): Promise<StoredRow>;
  /** Deletes rows, all or none. @throws Refusal 404 when one of them is outside the caller's scope */
  remove(ids: readonly string[], context: Context): Promise<void>;
}

const NEVER_YEARS = 70;

/** Builds the writings of a mounted resource. */
export function createWriter(mounted: MountedResource, registry: Registry, services: ResourceServices, reader: Reader): Writer {
  const { resource, hooks } = mounted;
  const table = sql.table(resource.table);
  const describe = hooks.describe ?? ((row: StoredRow) => String(row[resource.labelField] ?? row.id));

  /** The row as it is stored, locked until the transaction ends. */
  const lock = async (id: string, context: Context, tx: Tx): Promise<StoredRow> => {
    if (!isUuid(id)) throw notFound();
    const { rows } = await sql<StoredRow>`
      select ${selectList(mounted, context, registry, true)} from ${table} t where t.id = ${id} and ${scopeOf(mounted, context)} for update of t`.execute(tx);
    const [row] = rows;
    if (!row) throw notFound();
    return row;
  };

  const columnsFor = async (id: string, values: Values): Promise<[string, unknown][]> => {
    const columns: [string, unknown][] = [];
    for (const [name, field] of writableFields(resource)) {
      if (!(name in values) || field.kind === 'many' || field.kind === 'id') continue;
      const value = values[name];
      if (field.kind !== 'secret') columns.push([columnOf(name, field), stored(field, value)]);
      // A blank secret keeps what is there.
      else if (value !== '')
        columns.push([name, await (hooks.storeSecret?.[name]?.(String(value)) ?? services.vault.seal(String(value), `${resource.table}.${name}.${id}`))]);
    }
    return columns;
  };

  const saveLinks = async (id: string, values: Values, context: Context, tx: Tx): Promise<void> => {
    for (const [name, field] of writableFields(resource)) {
      if (field.kind !== 'many' || !(name in values)) continue;
      await replaceLinks(linkOf(resource, name, registry), id, values[name] as string[], registry.get(field.target ?? ''), context, tx);
    }
  };

  const inTransaction = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
    try {
      return await services.db.transaction().execute(work);
    } catch (error) {
      throw refusalOfDatabase(error, mounted) ?? error;
    }
  };

  return {
    create: (body, context) =>
      inTransaction(async (tx) => {
        const values = read(mounted, body, 'create');
        for (const [name, field] of writableFields(resource)) {
          if (field.kind === 'datetime' && field.defaultValue === 'never' && !(name in values)) values[name] = yearsFromNow(NEVER_YEARS);
        }
        await assertReferences(mounted, values, registry, context, tx);
        await hooks.beforeSave?.(values, undefined, context, tx);
        const id = hooks.insert ? await hooks.insert(values, context, tx) : await insert(values, context, tx);
        await saveLinks(id, values, context, tx);
        await hooks.afterSave?.(id, values, undefined, context, tx);
        const row = await reader.retrieve(id, context, tx);
        if (resource.audited) {
          await services.audit(tx, context, {
            action: 'create',
            resourceType: resource.name,
            resource: describe(row),
            resourceId: id,
            changes: changesBetween(resource, undefined, row, values),
          });
        }
        return row;
      }),

    update: (id, body, mode, context) =>
      inTransaction(async (tx) => {
        const values = read(mounted, body, mode);
        const previous = await lock(id, context, tx);
        const before = await reader.retrieve(id, context, tx);
        await assertReferences(mounted, values, registry, context, tx);
        await hooks.beforeSave?.(values, previous, context, tx);
        const columns = await columnsFor(id, values);
        if ('date_updated' in resource.fields) columns.push(['date_updated', new Date()]);
        if (columns.length > 0) {
          const assignments = sql.join(columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
          await sql`update ${table} set ${assignments} where id = ${id}`.execute(tx);
        }
        await saveLinks(id, values, context, tx);
        await hooks.afterSave?.(id, values, previous, context, tx);
        const row = await reader.retrieve(id, context, tx);
        const changes = changesBetween(resource, before, row, values);
        if (resource.audited && Object.keys(changes).length > 0) {
          await services.audit(tx, context, { action: 'update', resourceType: resource.name, resource: describe(row), resourceId: id, changes });
        }
        return row;
      }),

    remove: (ids, context) =>
      inTransaction(async (tx) => {
        // One order for everybody, so that two deletions at once do not wait for each other in a circle.
        for (const id of [...new Set(ids)].sort()) {
          const row = await lock(id, context, tx);
          await hooks.beforeDelete?.(row, context, tx);
          if (hooks.remove) await hooks.remove(row, context, tx);
          else await sql`delete from ${table} where id = ${id}`.execute(tx);
          if (resource.audited) await services.audit(tx, context, { action: 'delete', resourceType: resource.name, resource: describe(row), resourceId: id });
        }
      }),
  };

  async function insert(values: Values, context: Context, tx: Tx): Promise<string> {
    const id = typeof values.id === 'string' ? values.id : crypto.randomUUID();
    const columns: [string, unknown][] = [['id', id], ...(await columnsFor(id, values))];
    if (resource.scope === 'org') columns.push(['org_id', context.actor.organization.id]);
    if (resource.scope === 'own') columns.push(['user_id', context.actor.userId]);
    if ('created_by' in resource.fields) columns.push(['created_by', context.actor.name.slice(0, 30)]);
    const names = sql.join(columns.map(([column]) => sql.ref(column)));
    await sql`insert into ${table} (${names}) values (${sql.join(columns.map(([, value]) => value))})`.execute(tx);
    return id;
  }
}

function read(mounted: MountedResource, body: unknown, mode: BodyMode): Values {
  const { values, problems } = parseBody(mounted.resource.fields, body, mode);
  if (Object.keys(problems).length > 0) throw new Invalid(problems);
  return values;
}

function stored(field: Field, value: unknown): unknown {
  if (field.kind === 'flags') return actionMask(value as string[]);
  // A nullable text that was sent blank is stored as nothing.
  return value;
}

function yearsFromNow(years: number): Date {
  return new Date(Date.now() + years * 365 * 86_400_000);
}

/** What the database refused, in the words of the fields concerned. */
function refusalOfDatabase(error: unknown, { resource }: MountedResource): Refusal | undefined {
  const state = sqlState(error);
  if (!state) return undefined;
  if (state.code === '23505') {
    const columns = /^Key \((.+?)\)=/.exec(state.detail ?? '')?.[1]?.split(', ') ?? [];
    const fields = columns.map((column) => column.replaceAll('"', '').replace(/_id$/, '')).filter((name) => name in resource.fields && name !== 'org');
    const problem: Problem[] = [{ code: 'not_unique' }];
    return new Invalid(Object.fromEntries((fields.length > 0 ? fields : ['non_field_errors']).map((field) => [field, problem])));
  }
  // A row that was linked to vanished in between, or something still points at the row that should go.
  if (state.code === '23503' || state.code === '23001') return new Refusal(409, 'in_use', { what: state.detail?.match(/table "(\w+)"/)?.[1] ?? '' });
  if (state.code === '40P01' || state.code === '40001') return new Refusal(409, 'conflict');
  if (state.code === '57014') return new Refusal(503, 'timeout');
  return undefined;
}

/** Reads a path's `{id}` or comma-joined `{id},{id}`. */
export function readIds(text: string): string[] {
  const ids = text.split(',');
  if (ids.length > MAX_ITEMS || !ids.every(isUuid)) throw notFound();
  return ids.map((id) => id.toLowerCase());
}
