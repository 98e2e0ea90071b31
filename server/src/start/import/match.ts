import { isUuid } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import { findByName } from '../../resources/relations/names.ts';
import type { SourceObject } from './description.ts';
import type { ImportRun } from './run.ts';

/** Objects of one statement. */
export const BATCH = 500;

interface Matching {
  readonly engine: ResourceEngine;
  readonly caller: Caller;
  readonly tx: Tx;
}

/** Finds the present objects of source objects: by id, else by name. */
export async function findPresent(
  objects: readonly SourceObject[],
  { engine, caller, tx }: Matching,
): Promise<ReadonlyMap<SourceObject, string>> {
  const scope = scopeOf(engine, caller);
  const ids = objects.map(({ id }) => id).filter(isUuid);
  const { rows } = await sql<{ id: string }>`
    select t.id from ${sql.table(engine.resource.table)} t
    where t.id = any (${ids}::uuid[]) and ${scope}`.execute(tx);
  const known = new Set(rows.map(({ id }) => id));
  const others = objects.filter(({ id }) => !known.has(id));
  const byName = await findByName(
    engine,
    [...new Set(others.map(({ name }) => name))].filter((name) => !name.includes('\u0000')),
    scope,
    tx,
  );
  const present = new Map<SourceObject, string>();
  for (const object of objects) {
    const candidates = byName.get(object.name) ?? [];
    const [only] = candidates.filter(({ name }) => name === object.name);
    const id = known.has(object.id)
      ? object.id
      : (only ?? (candidates.length === 1 ? candidates[0] : undefined))?.id;
    if (id !== undefined) present.set(object, id);
  }
  return present;
}

/** Counts the objects that do not exist, including those that the writer refuses later. */
export async function countNew(
  objects: readonly SourceObject[],
  engine: ResourceEngine,
  { callerOf, tx }: Pick<ImportRun, 'callerOf' | 'tx'>,
): Promise<number> {
  let count = 0;
  for (const [caller, wanted] of Map.groupBy(objects, callerOf))
    for (let at = 0; caller && at < wanted.length; at += BATCH) {
      const batch = wanted.slice(at, at + BATCH);
      const present = await findPresent(batch, { engine, caller, tx });
      count += batch.filter((one) => !present.has(one) && !one.mustExist).length;
    }
  return count;
}

/** Key of an account on an asset. */
export const accountKey = (asset: unknown, username: unknown) => `${asset} ${username}`;

/** Returns the accounts on assets that already have a stored secret. */
export async function storedAccounts(
  assets: readonly string[],
  tx: Tx,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ asset_id: string; username: string }>`
    select asset_id, username from asset_user
    where asset_id = any (${assets}::uuid[]) and is_latest`.execute(tx);
  return new Set(rows.map((row) => accountKey(row.asset_id, row.username)));
}
