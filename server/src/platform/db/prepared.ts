import { createHash } from 'node:crypto';
import type { Kysely, RawBuilder } from 'kysely';
import type { WatchedPool } from './work.ts';

/** PostgreSQL's code for a prepared statement whose columns a migration has changed. */
const CHANGED = '0A000';

const pools = new WeakMap<Kysely<object>, WatchedPool>();
const names = new Map<string, string>();
/** Part of each statement name. Incrementing it makes connections prepare all statements again. */
let generation = 0;

/** Registers the pool of a database for prepared statements. */
export function preparesOver(db: Kysely<object>, pool: WatchedPool): void {
  pools.set(db, pool);
}

/**
 * Executes a statement that PostgreSQL parses and plans once per connection. For queries of nearly
 * every request with few distinct texts: each text stays in the memory of each connection. Inside a
 * transaction it executes as usual.
 */
export async function executePrepared<Row extends object>(
  query: RawBuilder<Row>,
  db: Kysely<object>,
): Promise<readonly Row[]> {
  const pool = pools.get(db);
  if (!pool) return (await query.execute(db)).rows;
  const { sql: text, parameters } = query.compile(db);
  const execute = async (): Promise<readonly Row[]> => {
    const client = await pool.connect();
    try {
      return (await client.query<Row>({ name: nameOf(text), text, values: [...parameters] })).rows;
    } finally {
      client.release();
    }
  };
  const before = generation;
  try {
    return await execute();
  } catch (error) {
    if ((error as { code?: string }).code !== CHANGED) throw error;
    if (generation === before) {
      generation++;
      names.clear();
    }
    return execute();
  }
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known) return known;
  const name = `${generation} ${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
  names.set(text, name);
  return name;
}
