import { actionMask, type Field, type Resource, writableFields } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { MountedResource, Values } from '../hooks.ts';
import { columnOf } from '../read/columns.ts';

/** Returns the stored columns of values. Seals secrets; a blank secret keeps the stored one. */
async function columnsFor(
  { resource, hooks }: MountedResource,
  id: string,
  values: Values,
  vault: Vault,
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
  mounted: MountedResource,
  bodies: readonly Values[],
  vault: Vault,
  { actor, within = {} }: Caller,
  tx: Tx,
): Promise<string[]> {
  const { resource } = mounted;
  const above = parentColumn(resource, within);
  const ids: string[] = [];
  // Group rows by their columns: one statement per group, and other columns take their defaults.
  const byColumns = new Map<string, { columns: string[]; rows: unknown[][] }>();
  for (const values of bodies) {
    const id = typeof values.id === 'string' ? values.id : crypto.randomUUID();
    ids.push(id);
    const columns: [string, unknown][] = [
      ['id', id],
      ...(await columnsFor(mounted, id, values, vault)),
    ];
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
  mounted: MountedResource,
  id: string,
  values: Values,
  vault: Vault,
  tx: Tx,
): Promise<void> {
  const columns = await columnsFor(mounted, id, values, vault);
  if ('date_updated' in mounted.resource.fields) columns.push(['date_updated', new Date()]);
  if (columns.length === 0) return;
  const assignments = sql.join(
    columns.map(([column, value]) => sql`${sql.ref(column)} = ${value}`),
  );
  await sql`update ${sql.table(mounted.resource.table)} set ${assignments} where id = ${id}`.execute(
    tx,
  );
}
