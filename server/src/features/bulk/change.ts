import { asset, type BulkAction, deletedObject, type Resource } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { AppError, describeProblem, Invalid, InvalidItems } from '../../platform/errors.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import type { AuditWriter, ResourceServices } from '../../resources/hooks.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import { objectName } from '../../resources/relations/named-objects.ts';
import { problemsInWords } from '../../resources/write/problems.ts';
import { placeOnNode } from '../assets/index.ts';
import { restoreDeleted } from '../deleted-objects/index.ts';

/** A change of every object in a set. */
export interface Change {
  readonly action: BulkAction;
  readonly changes: Readonly<Record<string, unknown>>;
  readonly target: string;
}

export interface ChangeServices {
  readonly db: Db;
  readonly audit: AuditWriter;
  readonly lockGrants: ResourceServices['lockGrants'];
}

/** An object that was not changed, with the reason. */
export interface RejectedObject {
  readonly name: string;
  readonly why: string;
}

/** The permission bits that a change requires. Undefined if the resource does not support it. */
export function neededFor({ access, name }: Resource, action: BulkAction): number | undefined {
  if (action === 'delete') return access.delete;
  if (action === 'restore') return name === deletedObject.name ? access.delete : undefined;
  return action === 'update' || name === asset.name ? access.update : undefined;
}

/** Filters ids to objects that the caller may know of, with their names. */
export async function namedAmong(
  engine: ResourceEngine,
  ids: readonly string[],
  caller: Caller,
  db: Db,
): Promise<{ readonly id: string; readonly name: string }[]> {
  const { rows } = await sql<{ id: string; name: string }>`
    select t.id, ${objectName(engine)} as name from ${sql.table(engine.resource.table)} t
    where t.id = any (${ids}::uuid[]) and ${scopeOf(engine, caller)} order by t.id`.execute(db);
  return rows;
}

/** A change with the resource that it concerns and the caller who makes it. */
export interface CallersChange {
  readonly engine: ResourceEngine;
  readonly engineOf: (resource: Resource) => ResourceEngine;
  /** The job whose deletions are restored together. */
  readonly batch: string;
  readonly change: Change;
  readonly caller: Caller;
  readonly services: ChangeServices;
}

async function write(
  ids: readonly string[],
  { engine, engineOf, batch, change: { action, changes, target }, caller, services }: CallersChange,
): Promise<void> {
  if (action === 'delete') await engine.writer.remove(ids, caller, { batch });
  else if (action === 'restore')
    for (const id of ids) await restoreDeleted(id, { db: services.db, engineOf, caller });
  else if (action === 'update')
    await engine.writer.updateMany(
      ids.map((id) => ({ ...changes, id })),
      'change',
      caller,
    );
  else {
    const placement = action === 'move' ? 'replace' : 'add';
    await placeOnNode(services, target, { assets: ids, placement }, caller);
  }
}

/**
 * Returns deleted objects in the reverse order of their deletion. An object has its links to those
 * that were deleted after it, so these must exist again.
 */
async function lastDeletedFirst<T extends { readonly id: string }>(
  objects: readonly T[],
  db: Db,
): Promise<T[]> {
  const { rows } = await sql<{ id: string }>`
    select id from deleted_object where id = any (${objects.map(({ id }) => id)}::uuid[])
    order by date_deleted desc, id`.execute(db);
  const places = new Map(rows.map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: T) => places.get(id) ?? rows.length;
  return objects.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/**
 * Changes objects together. After an error, changes each half separately, down to the rejected
 * objects.
 */
export async function changeAccepted(
  objects: readonly { readonly id: string; readonly name: string }[],
  change: CallersChange,
): Promise<RejectedObject[]> {
  if (objects.length === 0) return [];
  // Each restoration has its own transaction.
  if (change.change.action === 'restore' && objects.length > 1) {
    const rejected: RejectedObject[] = [];
    for (const one of await lastDeletedFirst(objects, change.services.db))
      rejected.push(...(await changeAccepted([one], change)));
    return rejected;
  }
  try {
    await write(
      objects.map(({ id }) => id),
      change,
    );
    return [];
  } catch (error) {
    // Other errors concern all objects.
    if (!(error instanceof AppError) || error.kind === 'unavailable') throw error;
    const [only] = objects;
    if (only && objects.length === 1)
      return [{ name: only.name, why: reasonOf(error, change.engine.resource, change.caller) }];
    const half = Math.ceil(objects.length / 2);
    return [
      ...(await changeAccepted(objects.slice(0, half), change)),
      ...(await changeAccepted(objects.slice(half), change)),
    ];
  }
}

function reasonOf(error: AppError, resource: Resource, { language }: Caller): string {
  const problems =
    error instanceof InvalidItems
      ? error.items[0]
      : error instanceof Invalid
        ? error.problems
        : undefined;
  return problems
    ? problemsInWords(problems, resource, language).join('; ')
    : describeProblem(error, language);
}
