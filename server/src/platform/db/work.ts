import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

/** Why work was stopped: it took too long, or its result is not needed any more. */
export type StopReason = 'late' | 'abandoned';

/** Thrown to callers that query the database after the work was stopped. */
export class WorkStopped extends Error {
  override readonly name = 'WorkStopped';
}

/** What one request has the database do: stopping it ends the queries that run for it and refuses further ones. */
export class Work {
  readonly #held = new Map<pg.PoolClient, (client: pg.PoolClient) => void>();
  #stopped: StopReason | undefined;

  get stopped(): StopReason | undefined {
    return this.#stopped;
  }

  /** Ends running queries. An open transaction is rolled back. */
  stop(reason: StopReason): void {
    if (this.#stopped) return;
    this.#stopped = reason;
    for (const [client, end] of this.#held) end(client);
  }

  /** Notes that the work holds a connection, and how its session is ended. */
  hold(client: pg.PoolClient, end: (client: pg.PoolClient) => void): void {
    this.#held.set(client, end);
  }

  letGo(client: pg.PoolClient): void {
    this.#held.delete(client);
  }
}

const current = new AsyncLocalStorage<Work>();

/** The work that the caller is part of, if any. */
export function currentWork(): Work | undefined {
  return current.getStore();
}

/** Does something, and everything that follows from it, as part of a work. */
export function partOf<T>(work: Work, action: () => T): T {
  return current.run(work, action);
}

/** The pool as queries see it: connections that a unit of work opened end with it. */
export interface WatchedPool {
  readonly Client: typeof pg.Client;
  readonly options: pg.PoolOptions;
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
}

/** Watches a pool. The sessions of stopped work are ended over connections of their own, because all others may be busy. */
export function watchPool(pool: pg.Pool, url: string): WatchedPool {
  const control = new pg.Pool({
    connectionString: url,
    max: 1,
    idleTimeoutMillis: 10_000,
    application_name: 'sallyport control',
    allowExitOnIdle: true,
  });
  control.on('error', () => undefined);
  const endSession = (client: pg.PoolClient): void => {
    const { processID } = client as pg.PoolClient & { processID?: number | null };
    if (!processID) return;
    // The session and not only its query: the next query of the same transaction would otherwise run on. A session that is gone already is what is wanted.
    control.query('select pg_terminate_backend($1)', [processID]).catch(() => undefined);
  };
  return {
    Client: pg.Client,
    options: pool.options,
    async connect() {
      const work = current.getStore();
      const client = await pool.connect();
      if (!work) return client;
      if (work.stopped) {
        client.release();
        throw new WorkStopped(`the request was stopped: ${work.stopped}`);
      }
      work.hold(client, endSession);
      const release = client.release;
      client.release = (destroy) => {
        work.letGo(client);
        // It may be ending at this moment: the pool must not hand it out again.
        release.call(client, work.stopped !== undefined || destroy);
      };
      return client;
    },
    async end() {
      await pool.end();
      await control.end();
    },
  };
}
