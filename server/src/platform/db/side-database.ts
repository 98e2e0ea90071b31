import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Db } from './database.ts';

/** One connection to the database besides the pool, for work that must notice soon when the database does not answer. */
export interface SideDatabase {
  /** Runs work on the connection. Work that takes longer than the limit fails, with its connection. */
  within<Result>(milliseconds: number, work: (db: Db) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Opens one, to the database of a pool. Nothing is connected before the first use, and nothing stays connected long after the last. */
export function openSideDatabase(pool: pg.Pool, name: string): SideDatabase {
  const side = new pg.Pool({
    ...pool.options,
    max: 1,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 4000,
    application_name: `sallyport ${name}`,
    allowExitOnIdle: true,
  });
  const db: Db = new Kysely<object>({ dialect: new PostgresDialect({ pool: side }) });
  let current: pg.PoolClient | undefined;
  side.on('error', () => undefined);
  side.on('connect', (client) => {
    current = client;
    client.on('error', () => undefined);
  });
  return {
    async within(milliseconds, work) {
      // A query that waits for a dead peer would wait for many minutes: ending the client closes its socket.
      const timer = setTimeout(() => {
        if (current instanceof pg.Client) current.end().catch(() => undefined);
      }, milliseconds);
      return work(db).finally(() => clearTimeout(timer));
    },
    close: () => db.destroy(),
  };
}

/** How long the database may take to answer a probe. */
const PROBE_MS = 4000;

/** Returns true if the database answers within a few seconds. */
export const answers = (side: SideDatabase): Promise<boolean> =>
  side
    .within(PROBE_MS, (db) => sql`select 1`.execute(db))
    .then(
      () => true,
      () => false,
    );
