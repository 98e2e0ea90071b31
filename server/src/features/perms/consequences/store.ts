import {
  type Consequence,
  type ConsequenceKind,
  type CountedNames,
  MAX_ITEMS,
  SET_MAX,
} from '@sallyport/contract';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { invalid } from '../../../platform/errors.ts';
import type { ResourceEngine } from '../../../resources/engines.ts';
import { setCondition } from '../../../resources/read/resource-set.ts';
import { scopeOf } from '../../../resources/read/scope.ts';
import { objectName } from '../../../resources/relations/named-objects.ts';

/** Maximum number of names per consequence. */
export const MOST_NAMED = 5;
/** Above this count no objects are named: a few names say little, and sorting is slow. */
export const NAMED_UP_TO = 1_000;

/** Selected objects: their ids, or the name of a stored set. */
export interface Selection {
  readonly ids: readonly string[];
  readonly spm: string;
}

/**
 * Returns the ids of the selected objects that the caller may see.
 * @throws Invalid if the selection exceeds the limit of a batch
 */
export async function visibleIds(
  engine: ResourceEngine,
  { ids, spm }: Selection,
  caller: Caller,
  db: Db,
): Promise<string[]> {
  if (ids.length === 0 && spm === '') return [];
  const set = await setCondition(new URLSearchParams({ spm }), caller, db);
  const max = set ? SET_MAX : MAX_ITEMS;
  const isSelected = set ?? sql`t.id = any (${ids}::uuid[])`;
  const { rows } = await sql<{ id: string }>`
    select t.id from ${sql.table(engine.resource.table)} t
    where ${isSelected} and ${scopeOf(engine, caller)} limit ${max + 1}`.execute(db);
  if (rows.length > max) throw invalid('spm', 'list_too_long', { max });
  return rows.map(({ id }) => id);
}

/** Counts the objects of a scope by a query for their ids, and names the first few. */
export async function countAndName(
  engine: ResourceEngine,
  ids: Sql,
  scope: Sql,
  db: Db,
): Promise<CountedNames> {
  const source = sql`from ${sql.table(engine.resource.table)} t
    where t.id in (${ids}) and ${scope}`;
  const counted = await sql<{ count: number }>`select count(*) as count ${source}`.execute(db);
  const count = counted.rows[0]?.count ?? 0;
  if (count === 0 || count > NAMED_UP_TO) return { count, names: [] };
  return { count, names: await namesOf(engine, ids, scope, db) };
}

/** Returns the first names, in order, of the objects of a scope by a query for their ids. */
export async function namesOf(
  engine: ResourceEngine,
  ids: Sql,
  scope: Sql,
  db: Db,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${objectName(engine)} as name from ${sql.table(engine.resource.table)} t
    where t.id in (${ids}) and ${scope} order by 1 limit ${MOST_NAMED}`.execute(db);
  return rows.map((row) => row.name);
}

export async function countOnly(query: Sql, db: Db): Promise<CountedNames> {
  const { rows } = await sql<{ count: number | string }>`${query}`.execute(db);
  return { count: Number(rows[0]?.count ?? 0), names: [] };
}

export function consequence(kind: ConsequenceKind, { count, names }: CountedNames): Consequence {
  return { kind, count, names, blocks: kind.endsWith('_blocking') };
}
