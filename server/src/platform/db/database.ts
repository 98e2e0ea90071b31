import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Db, PoolDb, type Tx } from './connection.ts';
import { createPool } from './open-client.ts';
import { watchPool } from './work.ts';

export type { Db, Tx } from './connection.ts';

export interface Database {
  readonly db: Db;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

// Row counts fit into a JavaScript number.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => Number(text));

/** Timeout of a query of a request, in milliseconds. A page that needs longer is a defect. */
const STATEMENT_TIMEOUT = 30_000;

/**
 * Lifetime of an idle connection, in milliseconds. A new one takes several round trips, so pages
 * that users open now and then should reuse one. An idle server frees its memory.
 */
const IDLE_TIMEOUT = 300_000;

/** Lifetime of a connection in milliseconds. A new one forgets the statements of the old one. */
export const CONNECTION_LIFETIME = 3_600_000;

/** Creates a pool of connections for requests. */
export function databasePool(url: string, options: pg.PoolConfig): pg.Pool {
  const pool = createPool(url, {
    statement_timeout: STATEMENT_TIMEOUT,
    idle_in_transaction_session_timeout: 60_000,
    // Equals the statement timeout: a request that waits this long still ends within its minute.
    connectionTimeoutMillis: STATEMENT_TIMEOUT,
    idleTimeoutMillis: IDLE_TIMEOUT,
    maxLifetimeSeconds: CONNECTION_LIFETIME / 1_000,
    application_name: 'sallyport',
    // Sends a query without waiting for the answer to the one before: the database may be far away.
    pipeline: true,
    ...options,
  });
  // The pool replaces an idle connection that breaks. Without a listener the error would end the
  // process.
  pool.on('error', () => undefined);
  // An active connection that breaks reports the error to its query.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Creates the pool of a URL with one host or several. Connects on first use. */
export function openDatabase(url: string, poolSize: number): Database {
  const pool = databasePool(url, { max: poolSize });
  const db = new PoolDb(watchPool(pool, url));
  return { db, pool, close: () => db.close() };
}

/** Returns true if the role of the connection is a superuser of the PostgreSQL server. */
export async function isSuperuser(pool: Pick<pg.ClientBase, 'query'>): Promise<boolean> {
  const { rows } = await pool.query<{ rolsuper: boolean }>(
    'select rolsuper from pg_roles where rolname = current_user',
  );
  return rows[0]?.rolsuper === true;
}

/** Returns PostgreSQL's error code, such as `23505` for a duplicate; undefined for other errors. */
export function sqlState(
  error: unknown,
): { code: string; constraint: string | undefined; detail: string | undefined } | undefined {
  if (!(error instanceof pg.DatabaseError) || !error.code) return undefined;
  return { code: error.code, constraint: error.constraint, detail: error.detail };
}

/** Codes of a serialization failure and a deadlock. */
const TRANSIENT: ReadonlySet<string> = new Set(['40001', '40P01']);
export const isTransient = (error: unknown): boolean => TRANSIENT.has(sqlState(error)?.code ?? '');

const ATTEMPTS = 4;
const MAX_PAUSE = 50;

/**
 * Retries `work` a few times after a serialization failure or a deadlock. `work` must open its own
 * transaction.
 */
export async function retryTransient<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      // The pause is random so that the same transactions do not collide again.
      await sleep(Math.random() * MAX_PAUSE * attempt);
    }
  }
}

/** Runs `work` in a transaction that is rolled back, with retries. */
export const rolledBack = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryTransient(async () => {
    const tx = await db.begin();
    try {
      return await work(tx);
    } finally {
      await tx.rollback();
    }
  });

/**
 * Runs `work` in a new transaction, with retries. It must not depend on state that an earlier
 * attempt left in memory.
 */
export const transact = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryTransient(() => db.transaction(work));
