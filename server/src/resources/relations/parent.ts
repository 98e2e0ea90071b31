import { isUuid, type Resource } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { notFound } from '../../platform/errors.ts';
import type { Registry } from '../hooks.ts';
import type { Reader } from '../read/reader.ts';
import { scopeOf } from '../read/scope.ts';

/**
 * Returns the permission bits for a resource and all its parents: reading a child requires reading
 * its parents.
 */
export function accessBelow(resource: Resource, access: number): number {
  const { parent } = resource;
  return parent
    ? accessBelow(parent.resource, access | (parent.resource.access.read ?? 0))
    : access;
}

/**
 * Returns the caller, limited to the parent objects of the path; each must be visible. @throws
 * NotFound
 */
export async function callerBelow<C extends Caller>(
  resource: Resource,
  caller: C,
  idOf: (field: string) => string,
  engineOf: (resource: Resource) => { readonly reader: Pick<Reader, 'retrieve'> },
): Promise<C> {
  const { parent } = resource;
  if (!parent) return caller;
  const above = await callerBelow(parent.resource, caller, idOf, engineOf);
  const id = idOf(parent.field);
  if (!isUuid(id)) throw notFound();
  const row = await engineOf(parent.resource).reader.retrieve(id, above);
  return { ...above, within: { ...above.within, [resource.name]: String(row.id) } };
}

/**
 * Locks the parent object against deletion while its children are written. @throws NotFound if it
 * was deleted
 */
export async function lockParent(
  { name, parent }: Resource,
  registry: Registry,
  caller: Caller,
  tx: Tx,
): Promise<void> {
  const id = caller.within?.[name];
  const above = parent && registry.get(parent.resource.name);
  if (!above || id === undefined) return;
  const { rows } = await sql`
    select 1 from ${sql.table(above.resource.table)} t
    where t.id = ${id} and ${scopeOf(above, caller)} for key share of t`.execute(tx);
  if (rows.length === 0) throw notFound();
}
