import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { hostUrlOf } from './open-client.ts';

/** Reason why work was stopped: a timeout, or its caller has gone away. */
export type StopReason = 'late' | 'abandoned';

/** Thrown to callers that query the database after `stop`. */
export class WorkStopped extends Error {
  override readonly name = 'WorkStopped';
}

/** Database work of one request. Stopping it ends its running queries and rejects further ones. */
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

  /** Records that the work holds a connection, and how to end its session. */
  hold(client: pg.PoolClient, end: (client: pg.PoolClient) => void): void {
    this.#held.set(client, end);
  }

  letGo(client: pg.PoolClient): void {
    this.#held.delete(client);
  }
}

const current = new AsyncLocalStorage<Work>();

export function currentWork(): Work | undefined {
  return current.getStore();
}

/** Runs `action`, and everything that it starts, as part of a work. */
export function partOf<T>(work: Work, action: () => T): T {
  return current.run(work, action);
}

/** The pool as queries see it. Sessions of stopped work are ended. */
export interface WatchedPool {
  readonly Client: typeof pg.Client;
  readonly options: pg.PoolOptions;
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
}

/**
 * Watches a pool. A separate connection ends the sessions of stopped work, because the pool's
 * connections may all be busy.
 */
export function watchPool(pool: pg.Pool, url: string): WatchedPool {
  // Each host has its own control connection: after a failover, the process id may belong to
  // another session elsewhere.
  const controls = new Map<string, pg.Pool>();
  const controlOf = (host: string): pg.Pool => {
    const known = controls.get(host);
    if (known) return known;
    const control = new pg.Pool({
      connectionString: host,
      max: 1,
      idleTimeoutMillis: 10_000,
      application_name: 'sallyport control',
      allowExitOnIdle: true,
    });
    control.on('error', () => undefined);
    controls.set(host, control);
    return control;
  };
  const endSession = (client: pg.PoolClient): void => {
    const { processID } = client as pg.PoolClient & { processID?: number | null };
    if (!processID) return;
    // End the session and not only its query: the transaction would continue with its next query.
    // An error means that the session has ended already.
    controlOf(hostUrlOf(client, url))
      .query('select pg_terminate_backend($1)', [processID])
      .catch(() => undefined);
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
        // The session may be ending right now; the pool must not reuse its connection.
        release.call(client, work.stopped !== undefined || destroy);
      };
      return client;
    },
    async end() {
      await pool.end();
      await Promise.all([...controls.values()].map((control) => control.end()));
    },
  };
}
