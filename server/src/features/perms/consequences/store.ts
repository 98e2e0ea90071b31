import {
  type Consequence,
  type ConsequenceKind,
  type CountedNames,
  MAX_ITEMS,
  SET_MAX,
} from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../../../platform/actor.ts';
import type { Db } from '../../../platform/db/database.ts';
import { invalid } from '../../../platform/errors.ts';
import type { ResourceEngine } from '../../../resources/engines.ts';
import type { Sql } from '../../../resources/hooks.ts';
import { objectName } from '../../../resources/object-name.ts';
import { setCondition } from '../../../resources/resource-set.ts';
import { scopeOf } from '../../../resources/scope.ts';

/** How many names an answer has of each kind. */
export const MOST_NAMED = 5;
/** Beyond this many objects a few names say little, and sorting them takes time. */
export const NAMED_UP_TO = 1_000;

/** Which objects are meant: their ids, or a set that was stored under a name. */
export interface Meant {
  readonly ids: readonly string[];
  readonly spm: string;
}

/**
 * The ids of the meant objects that a caller may know of.
 * @throws Invalid for more than a batch may have
 */
export async function visibleIds(
  engine: ResourceEngine,
  { ids, spm }: Meant,
  caller: Caller,
  db: Db,
): Promise<string[]> {
  if (ids.length === 0 && spm === '') return [];
  const set = await setCondition(new URLSearchParams({ spm }), caller, db);
  const max = set ? SET_MAX : MAX_ITEMS;
  const meant = set ?? sql`t.id = any (${ids}::uuid[])`;
  const { rows } = await sql<{ id: string }>`
    select t.id from ${sql.table(engine.resource.table)} t
    where ${meant} and ${scopeOf(engine, caller)} limit ${max + 1}`.execute(db);
  if (rows.length > max) throw invalid('spm', 'list_too_long', { max });
  return rows.map(({ id }) => id);
}

/**
 * Counts objects by a query for their ids, within what a caller may know of, or within another
 * scope, and names the first few.
 */
export async function countAndName(
  engine: ResourceEngine,
  ids: Sql,
  caller: Caller,
  db: Db,
  scope = scopeOf(engine, caller),
): Promise<CountedNames> {
  const found = sql`from ${sql.table(engine.resource.table)} t where t.id in (${ids}) and ${scope}`;
  const counted = await sql<{ count: number }>`select count(*) as count ${found}`.execute(db);
  const count = counted.rows[0]?.count ?? 0;
  if (count === 0 || count > NAMED_UP_TO) return { count, names: [] };
  return { count, names: await namesOf(engine, ids, caller, db, scope) };
}

/**
 * The first few names of objects by a query for their ids, within what a caller may know of, or
 * within another scope.
 */
export async function namesOf(
  engine: ResourceEngine,
  ids: Sql,
  caller: Caller,
  db: Db,
  scope = scopeOf(engine, caller),
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${objectName(engine)} as name from ${sql.table(engine.resource.table)} t
    where t.id in (${ids}) and ${scope} order by 1 limit ${MOST_NAMED}`.execute(db);
  return rows.map((row) => row.name);
}

/** One number without names. */
export async function countOnly(query: Sql, db: Db): Promise<CountedNames> {
  const { rows } = await sql<{ count: number | string }>`${query}`.execute(db);
  return { count: Number(rows[0]?.count ?? 0), names: [] };
}

/** A consequence out of what was counted. */
export function consequence(kind: ConsequenceKind, { count, names }: CountedNames): Consequence {
  return { kind, count, names, blocks: kind.endsWith('_blocking') };
}
