import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

interface Entry {
  readonly version: number;
  readonly validUntil: number;
  readonly value: unknown;
  readonly items: number;
}

/** Values that are kept at the most: five for each of 2,000 users. */
const MOST_ENTRIES = 10_000;
/** Rows and ids in them: a node of a tree takes some 300 bytes, an id 60. */
const MOST_ITEMS = 200_000;
/** Callers choose parts of the keys. */
const KEY_LETTERS_OF_AN_ITEM = 50;

/** About how many rows and ids an entry consists of. */
function itemsIn(key: string, value: unknown): number {
  const lists = Array.isArray(value)
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).filter(Array.isArray)
      : [];
  return lists.reduce(
    (sum, list) => sum + list.length,
    Math.ceil(key.length / KEY_LETTERS_OF_AN_ITEM),
  );
}

/**
 * Remembers what was worked out from the grants. The database counts every change that can alter a
 * grant, in the transaction of the change; what is remembered is used only while that number is the
 * same and no rule has begun or ended since. So it is never out of date.
 */
export class GrantCache {
  readonly #db: Db;
  readonly #entries = new Map<string, Entry>();
  readonly #mostEntries: number;
  #items = 0;

  constructor(db: Db, mostEntries = MOST_ENTRIES) {
    this.#db = db;
    this.#mostEntries = mostEntries;
  }

  /** The number of changes so far. */
  async version(): Promise<number> {
    const { rows } = await sql<{ version: number }>`select version from grant_version`.execute(
      this.#db,
    );
    return rows[0]?.version ?? 0;
  }

  /**
   * The remembered value, or what `load` finds. `version` is read by the caller before, once for
   * each request.
   */
  async remember<T>(
    version: number,
    key: string,
    load: () => Promise<{ value: T; validUntil: number }>,
  ): Promise<T> {
    const known = this.#entries.get(key);
    if (known && known.version === version && known.validUntil > Date.now()) {
      // Used again: last to be dropped.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value as T;
    }
    const { value, validUntil } = await load();
    this.#drop(key);
    const items = itemsIn(key, value);
    this.#entries.set(key, { version, validUntil, value, items });
    this.#items += items;
    // The first in the map was not used for longest.
    for (const oldest of this.#entries.keys()) {
      if (this.#items <= MOST_ITEMS && this.#entries.size <= this.#mostEntries) break;
      this.#drop(oldest);
    }
    return value;
  }

  #drop(key: string): void {
    this.#items -= this.#entries.get(key)?.items ?? 0;
    this.#entries.delete(key);
  }
}
