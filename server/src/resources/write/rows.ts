import { actionMask, type Field, type Resource, writableFields } from '@sallyport/contract';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ResourceSource, Values } from '../hooks.ts';
import { columnOf } from '../read/columns.ts';
import type { Operation } from './operation.ts';

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
  return field.kind === 'flags' ? actionMask(value as string[]) : value;
}

/** Inserts rows with organization, owner and author. Returns their ids in order. */
export async function insertRows(
  source: ResourceSource,
  bodies: readonly Values[],
  { caller: { actor, within = {} }, tx }: Operation,
): Promise<string[]> {
  const { resource } = source.mounted;
  const above = parentColumn(resource, within);
  const ids: string[] = [];
  // Group rows by their columns: one statement per group, and other columns take their defaults.
  const byColumns = new Map<string, { columns: string[]; rows: unknown[][] }>();
  for (const values of bodies) {
    const id = typeof values.id === 'string' ? values.id : crypto.randomUUID();
    ids.push(id);
    const columns: [string, unknown][] = [['id', id], ...(await columnsFor(source, id, values))];
    if (above) columns.push(above);
    if (resource.scope === 'org') columns.push(['org_id', actor.organization.id]);
    if (resource.scope === 'own') columns.push(['user_id', actor.userId]);
    if ('created_by' in resource.fields) columns.push(['created_by', actor.name.slice(0, 30)]);
    const names = columns.map(([column]) => column);
    const group = byColumns.get(names.join()) ?? { columns: names, rows: [] };
    group.rows.push(columns.map(([, value]) => value));
    byColumns.set(names.join(), group);
  }
  for (const { columns, rows } of byColumns.values()) {
    const names = sql.join(columns.map((column) => sql.ref(column)));
    await sql`insert into ${sql.table(resource.table)} (${names}) values ${sql.join(rows.map((row) => sql`(${sql.join(row)})`))}`.execute(
      tx,
    );
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
export async function updateRow(
  source: ResourceSource,
  { id, values }: { readonly id: string; readonly values: Values },
  tx: Tx,
): Promise<void> {
  const { resource } = source.mounted;
  const columns = await columnsFor(source, id, values);
  if ('date_updated' in resource.fields) columns.push(['date_updated', new Date()]);
  if (columns.length === 0) return;
  const assignments = sql.join(
    columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
  );
  await sql`update ${sql.table(resource.table)} set ${assignments} where id = ${id}`.execute(tx);
}
