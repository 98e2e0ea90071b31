import {
  type Field,
  type FieldProblems,
  maskOfFlags,
  type Resource,
  writableFields,
} from '@sallyport/contract';
import { databaseClock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import type { Operation, ResourceSource, Values } from '../hooks.ts';
import { columnOf } from '../read/columns.ts';
import { replaceManyLinks } from '../relations/links.ts';
import { type Item, isBad, otherDuplicates } from './plan.ts';
import { problemsOf, refusalOfDatabase } from './problems.ts';

/** Rows per statement; PostgreSQL limits the parameters of one. */
const CHUNK = 500;

/** Writes the rows of valid items. A rejection by the database becomes a problem of its item. */
export async function writeRows(
  source: ResourceSource,
  items: readonly Item[],
  operation: Operation,
  written: (rows: number) => void,
) {
  const { mounted } = source;
  const good = items.filter((item) => !isBad(item));
  written(items.length - good.length);
  const only = items.length === 1 ? good[0] : undefined;
  if (only && !hasSeveralUnique(mounted.resource)) {
    // A transaction with one row ends with it, so it needs no savepoint.
    Object.assign(
      only.problems,
      await refusedBy(mounted.resource, () => write(source, [only], operation)),
    );
    written(1);
    return;
  }
  // Write the chunk at once; only after a failure row by row, to find the problem of each row.
  for (let start = 0; start < good.length; start += CHUNK) {
    const chunk = good.slice(start, start + CHUNK);
    const isNew = chunk.map((item) => item.id === '');
    const refused = await attempt(mounted.resource, operation, () =>
      write(source, chunk, operation),
    );
    if (Object.keys(refused).length === 0) {
      written(chunk.length);
      continue;
    }
    for (const [index, item] of chunk.entries()) {
      if (isNew[index]) item.id = '';
      Object.assign(
        item.problems,
        await attempt(mounted.resource, operation, () => write(source, [item], operation)),
      );
      if (isBad(item))
        Object.assign(
          item.problems,
          await otherDuplicates(mounted, item, operation.caller, operation.tx),
        );
      written(1);
    }
  }
}

/**
 * Returns true if a row can violate several unique fields. The database names one; the engine looks
 * up the others.
 */
const hasSeveralUnique = (resource: Resource): boolean =>
  Object.values(resource.fields).filter((field) => field.kind === 'text' && field.unique).length >
  1;

/** Replaces the links of saved items by the links in their bodies. */
export async function writeLinks(
  source: ResourceSource,
  items: readonly Item[],
  operation: Operation,
): Promise<void> {
  const fields = writableFields(source.mounted.resource).map(([name, field]) => {
    const owners = items.filter((item) => field.kind === 'many' && name in item.values);
    const rows = owners.map((item) => ({
      own: item.id,
      others: item.values[name] as string[],
      isNew: !item.previous,
    }));
    return { name, rows };
  });
  await replaceManyLinks(
    source,
    fields.filter(({ rows }) => rows.length > 0),
    operation,
  );
}

async function write(
  source: ResourceSource,
  items: readonly Item[],
  operation: Operation,
): Promise<void> {
  const { hooks } = source.mounted;
  for (const item of items) if (item.previous) await updateRow(source, item, operation.tx);
  const fresh = items.filter((item) => !item.previous);
  if (fresh.length === 0) return;
  if (hooks.insert) {
    for (const item of fresh) item.id = await hooks.insert(item.values, operation);
    return;
  }
  const bodies = fresh.map((item) => item.values);
  const ids = await insertRows(source, bodies, operation);
  for (const [index, item] of fresh.entries()) item.id = ids[index] ?? '';
}

/** Runs `work` in a savepoint and rolls back if a field is rejected. */
async function attempt(
  resource: Resource,
  { tx }: Operation,
  work: () => Promise<void>,
): Promise<FieldProblems> {
  await sql`savepoint attempt`.execute(tx);
  const problems = await refusedBy(resource, work);
  await (Object.keys(problems).length > 0
    ? sql`rollback to savepoint attempt`
    : sql`release savepoint attempt`
  ).execute(tx);
  return problems;
}

/**
 * Returns the problems with which rules or the database reject `work`. Rethrows other database
 * errors: they concern the whole write.
 */
function refusedBy(resource: Resource, work: () => Promise<void>): Promise<FieldProblems> {
  return problemsOf(() =>
    work().catch((error: unknown) => {
      const refusal = refusalOfDatabase(error, resource);
      throw refusal instanceof Invalid ? refusal : error;
    }),
  );
}

/** Returns the stored columns of values. Seals secrets; a blank secret keeps the stored one. */
async function columnsFor(
  { mounted: { resource, hooks }, services: { vault } }: ResourceSource,
  id: string,
  values: Values,
): Promise<[string, unknown][]> {
  const columns: [string, unknown][] = [];
  for (const [name, field] of writableFields(resource)) {
    if (!(name in values) || field.kind === 'many' || field.kind === 'id') continue;
    const value = values[name];
    if (field.kind !== 'secret') columns.push([columnOf(name, field), stored(field, value)]);
    else if (value !== '')
      columns.push([
        name,
        await (hooks.storeSecret?.[name]?.(String(value)) ??
          vault.seal(String(value), `${resource.table}.${name}.${id}`)),
      ]);
  }
  return columns;
}

function stored(field: Field, value: unknown): unknown {
  if (field.kind === 'object') return value === null ? null : JSON.stringify(value);
  return field.kind === 'flags' ? maskOfFlags(field.choices, value as string[]) : value;
}

/** Inserts rows with organization, owner and author. Returns their ids in order. */
async function insertRows(
  source: ResourceSource,
  bodies: readonly Values[],
  { caller: { actor, within = {} }, tx, restored }: Operation,
): Promise<string[]> {
  const { resource } = source.mounted;
  const above = parentColumn(resource, within);
  const ids: string[] = [];
  // Group rows by their columns: one statement per group, and other columns take their defaults.
  const byColumns = new Map<string, { columns: string[]; rows: unknown[][] }>();
  for (const values of bodies) {
    const id = restored?.id ?? (typeof values.id === 'string' ? values.id : crypto.randomUUID());
    ids.push(id);
    const columns: [string, unknown][] = [['id', id], ...(await columnsFor(source, id, values))];
    if (above) columns.push(above);
    if (resource.scope === 'org') columns.push(['org_id', actor.organization.id]);
    if (resource.scope === 'own') columns.push(['user_id', actor.userId]);
    if ('created_by' in resource.fields && !restored)
      columns.push(['created_by', actor.name.slice(0, 30)]);
    const names = columns.map(([column]) => column);
    const group = byColumns.get(names.join()) ?? { columns: names, rows: [] };
    group.rows.push(columns.map(([, value]) => value));
    byColumns.set(names.join(), group);
  }
  for (const { columns, rows } of byColumns.values()) {
    const kept = Object.keys(restored?.row ?? {}).filter((column) => !columns.includes(column));
    const names = sql.join([...columns, ...kept].map((column) => sql.ref(column)));
    const source = restored
      ? sql`select ${sql.join([...(rows[0] ?? []), ...kept.map((column) => sql.ref(`r.${column}`))])}
        from jsonb_populate_record(null::${sql.table(resource.table)},
          ${JSON.stringify(restored.row)}::jsonb) r`
      : sql`values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`;
    await sql`insert into ${sql.table(resource.table)} (${names}) ${source}`.execute(tx);
  }
  return ids;
}

/** Returns the parent column with the id from the caller's path. */
function parentColumn(
  { name, parent, fields }: Resource,
  within: Readonly<Record<string, string>>,
): [string, string] | undefined {
  const field = parent && fields[parent.field];
  if (!parent || !field) return undefined;
  const id = within[name];
  if (id === undefined) throw new Error(`${name} is created below an object, and none was named`);
  return [columnOf(parent.field, field), id];
}

/** Updates the columns of the given values. */
async function updateRow(
  source: ResourceSource,
  { id, values }: { readonly id: string; readonly values: Values },
  tx: Tx,
): Promise<void> {
  const { resource } = source.mounted;
  const columns = await columnsFor(source, id, values);
  if ('date_updated' in resource.fields) columns.push(['date_updated', databaseClock.date()]);
  if (columns.length === 0) return;
  const assignments = sql.join(
    columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
  );
  await sql`update ${sql.table(resource.table)} set ${assignments} where id = ${id}`.execute(tx);
}
