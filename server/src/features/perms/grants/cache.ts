import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

interface Entry {
  readonly version: number;
  readonly validUntil: number;
  readonly value: unknown;
}

/**
 * Remembers what was worked out from the grants. The database counts every change that can alter a grant, in the transaction of the
 * change; what is remembered is used only while that number is the same and no rule has begun or ended since. So it is never out of date.
 */
export class GrantCache {
  readonly #db: Db;
  readonly #entries = new Map<string, Entry>();
  readonly #capacity: number;

  constructor(db: Db, capacity = 2_000) {
    this.#db = db;
    this.#capacity = capacity;
  }

  /** The number of changes so far. */
  async version(): Promise<number> {
    const { rows } = await sql<{ version: number }>`select version from grant_version`.execute(this.#db);
    return rows[0]?.version ?? 0;
  }

  /** The remembered value, or what `load` finds. `version` is read by the caller before, once for each request. */
  async remember<T>(version: number, key: string, load: () => Promise<{ value: T; validUntil: number }>): Promise<T> {
    const known = this.#entries.get(key);
    if (known && known.version === version && known.validUntil > Date.now()) {
      // Used again: last to be dropped.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value as T;
    }
    const { value, validUntil } = await load();
    this.#entries.delete(key);
    this.#entries.set(key, { version, validUntil, value });
    const oldest = this.#entries.keys().next();
    if (this.#entries.size > this.#capacity && !oldest.done) this.#entries.delete(oldest.value);
    return value;
  }
}
