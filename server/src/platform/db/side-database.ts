import pg from 'pg';
import { type Db, PoolDb } from './connection.ts';
import { createPool } from './open-client.ts';
import { sql } from './sql.ts';

/**
 * A connection outside the pool, for work that must notice quickly when the database does not
 * answer.
 */
export interface SideDatabase {
  /**
   * Runs `work` on the connection. After the timeout the connection is closed and the work fails.
   */
  within<Result>(milliseconds: number, work: (db: Db) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/**
 * Creates a side connection to the pool's database. It connects on first use and closes soon after
 * the last.
 */
export function openSideDatabase(pool: pg.Pool, name: string): SideDatabase {
  const side = createPool(pool.options.connectionString ?? '', {
    ...pool.options,
    max: 1,
    // Ending a connection closes its socket only without pipelining.
    pipeline: false,
    idleTimeoutMillis: 10_000,
    connectionTimeoutMillis: 4000,
    application_name: `sallyport ${name}`,
    allowExitOnIdle: true,
  });
  const db = new PoolDb(side);
  let current: pg.PoolClient | undefined;
  side.on('error', () => undefined);
  side.on('connect', (client) => {
    current = client;
    client.on('error', () => undefined);
  });
  return {
    async within(milliseconds, work) {
      // A query to a dead peer would wait for many minutes; ending the client closes its socket.
      const timer = setTimeout(() => {
        if (current instanceof pg.Client) current.end().catch(() => undefined);
      }, milliseconds);
      return work(db).finally(() => clearTimeout(timer));
    },
    close: () => db.close(),
  };
}

/** Timeout of a probe in milliseconds. */
const PROBE_MS = 4000;

/** Returns true if the database answers within `PROBE_MS`. */
export const answers = (side: SideDatabase): Promise<boolean> =>
  side
    .within(PROBE_MS, (db) => sql`select 1`.execute(db))
    .then(
      () => true,
      () => false,
    );
