import type { Resource } from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { executePrepared, sql } from '../../../platform/db/sql.ts';

interface Entry {
  readonly version: number;
  readonly validUntil: number;
  readonly value: unknown;
  readonly items: number;
}

/** Maximum number of entries: five for each of 2,000 users. */
const MAX_ENTRIES = 10_000;
/** Maximum number of rows and ids in all entries. A tree node takes about 300 bytes, an id 60. */
const MAX_ITEMS = 200_000;
/** Clients control parts of the keys, so long keys count as items. */
const KEY_LETTERS_PER_ITEM = 50;

/** Approximate number of rows and ids in an entry. */
function itemsIn(key: string, value: unknown): number {
  const lists = Array.isArray(value)
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).filter(Array.isArray)
      : [];
  return lists.reduce(
    (sum, list) => sum + list.length,
    Math.ceil(key.length / KEY_LETTERS_PER_ITEM),
  );
}

/**
 * Caches values computed from grants. The database counts each change to grants in the transaction
 * of that change. An entry is valid while this version is unchanged and no permission has begun or
 * ended, so it is never stale.
 */
export class GrantCache {
  readonly #db: Db;
  readonly #entries = new Map<string, Entry>();
  readonly #maxEntries: number;
  readonly #maxItems: number;
  #items = 0;

  constructor(db: Db, maxEntries = MAX_ENTRIES, maxItems = MAX_ITEMS) {
    this.#db = db;
    this.#maxEntries = maxEntries;
    this.#maxItems = maxItems;
  }

  /** Current version of the grants. */
  async version(): Promise<number> {
    const query = sql<{ version: number }>`select version from grant_version`;
    return (await executePrepared(query, this.#db))[0]?.version ?? 0;
  }

  /** Returns a cached value with its version, which the caller has yet to compare. */
  recent<T>(key: string): { readonly version: number; readonly value: T } | undefined {
    const known = this.#entries.get(key);
    if (!known || known.validUntil <= databaseClock.now()) return undefined;
    return { version: known.version, value: known.value as T };
  }

  /**
   * Returns the cached value, or loads and caches it. The caller reads `version` once per request,
   * before.
   */
  async remember<T>(
    version: number,
    key: string,
    load: () => Promise<{ value: T; validUntil: number }>,
  ): Promise<T> {
    const known = this.#entries.get(key);
    if (known && known.version === version && known.validUntil > databaseClock.now()) {
      // Moves the entry to the end: the least recently used one is evicted first.
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return known.value as T;
    }
    const { value, validUntil } = await load();
    this.#drop(key);
    const items = itemsIn(key, value);
    this.#entries.set(key, { version, validUntil, value, items });
    this.#items += items;
    // The first entry is the least recently used one.
    for (const oldest of this.#entries.keys()) {
      if (this.#items <= this.#maxItems && this.#entries.size <= this.#maxEntries) break;
      this.#drop(oldest);
    }
    return value;
  }

  #drop(key: string): void {
    this.#items -= this.#entries.get(key)?.items ?? 0;
    this.#entries.delete(key);
  }
}

/**
 * Serializes changes to grants. Every such change locks the version row at some point; locking it
 * before any other row prevents deadlocks.
 */
export async function lockGrants(tx: Tx): Promise<void> {
  await sql`select 1 from grant_version for update`.execute(tx);
}

/** Calls `lockGrants` if grants depend on the resource. */
export async function lockGrantsFor(
  resource: Pick<Resource, 'feedsGrants'>,
  tx: Tx,
): Promise<void> {
  if (resource.feedsGrants) await lockGrants(tx);
}
