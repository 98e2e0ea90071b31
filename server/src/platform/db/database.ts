import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { preparesOver } from './prepared.ts';
import { watchPool } from './work.ts';

/** A connection to the database, or a transaction on it. Queries are written as SQL with Kysely's `sql` tag. */
export type Db = Kysely<object>;
export type Tx = Transaction<object>;

export interface Database {
  readonly db: Db;
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

// bigint counts fit a JavaScript number for as long as anybody will count rows.
pg.types.setTypeParser(pg.types.builtins.INT8, (text) => Number(text));

/** How long one query of a request may run, in milliseconds; a page that needs longer is a defect. */
const STATEMENT_TIMEOUT = 30_000;

/**
 * How long an unused connection stays open, in milliseconds. A new one takes several round trips, so
 * pages that users open now and then must find one. An idle server gives its memory back.
 */
const IDLE_TIMEOUT = 300_000;

/** Opens the pool. Nothing is connected yet. */
export function openDatabase(url: string, poolSize: number): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    statement_timeout: STATEMENT_TIMEOUT,
    idle_in_transaction_session_timeout: 60_000,
    // As long as a statement may run: when many come at once, each waits within the minute that its request has.
    connectionTimeoutMillis: STATEMENT_TIMEOUT,
    idleTimeoutMillis: IDLE_TIMEOUT,
    application_name: 'sallyport',
  });
  // An idle connection that breaks (a database that restarts) is replaced by the pool; unheard, the error would end the process.
  pool.on('error', () => undefined);
  // The same holds for one that is in use: its query fails, and that is where it is heard.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const watched = watchPool(pool, url);
  const db: Db = new Kysely<object>({ dialect: new PostgresDialect({ pool: watched }) });
  preparesOver(db, watched);
  return { db, pool, close: () => db.destroy() };
}

/** Whether the role that the pool signs in with may do everything in the whole PostgreSQL server. */
export async function isSuperuser(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ rolsuper: boolean }>(
    'select rolsuper from pg_roles where rolname = current_user',
  );
  return rows[0]?.rolsuper === true;
}

/** PostgreSQL's code of an error, such as `23505` for a duplicate; undefined for other errors. */
export function sqlState(
  error: unknown,
): { code: string; constraint: string | undefined; detail: string | undefined } | undefined {
  if (!(error instanceof pg.DatabaseError) || !error.code) return undefined;
  return { code: error.code, constraint: error.constraint, detail: error.detail };
}
