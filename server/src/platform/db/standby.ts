import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from '../log.ts';
import {
  type ConnectionPool,
  DatabaseClosed,
  type Db,
  type OpenTx,
  PoolDb,
  type Result,
  type Statement,
  type TransactionMode,
  type Tx,
} from './connection.ts';
import { databasePool, sqlState } from './database.ts';
import { isDatabaseAway } from './open-client.ts';
import { sql } from './sql.ts';
import { WorkStopped, watchPool } from './work.ts';

/** Timeout of a connection to the standby: the primary can answer instead. */
const CONNECT_MS = 2_000;
/** Pause before the standby is tried again after a problem. */
const PAUSE_MS = 1_000;
/** Longest interval between two ticks. */
const TICK_MS = 1_000;
/** SQLSTATE of a read that the replay of the standby cancels, and of a write. */
const CANCELED = '40001';
const READ_ONLY = '25006';

/** Thrown if a standby does not answer, or is further behind than reads may be. */
class StandbyUnusable extends Error {
  override readonly name = 'StandbyUnusable';
}

/** A standby for reads that may be some seconds old. */
export interface Standby {
  /** Reads from the standby while it is current enough, else from the primary. */
  readonly db: Db;
  /** False while reads go to the primary. */
  isUsed(): boolean;
  close(): Promise<void>;
}

interface StandbyOptions {
  readonly url: string;
  readonly poolSize: number;
  /** Maximum age of the rows of a read. */
  readonly lagSeconds: number;
  readonly primary: Db;
  readonly log: Logger;
}

/** Keeps the errors of a stopped request and of a closed pool: the primary cannot help either. */
function unusable(error: unknown): never {
  if (error instanceof WorkStopped || error instanceof DatabaseClosed) throw error;
  throw new StandbyUnusable(error instanceof Error ? error.message || error.name : String(error));
}

/** Connections that have shown a tick of this process within the allowed lag. */
class ProvenPool implements ConnectionPool {
  readonly #pool: ConnectionPool;
  readonly #process: string;
  readonly #lag: number;
  /** The newest tick of this process that a connection has shown. */
  readonly #shown = new WeakMap<object, number>();

  constructor(pool: ConnectionPool, process: string, lag: number) {
    this.#pool = pool;
    this.#process = process;
    this.#lag = lag;
  }

  async connect() {
    const connection = await this.#pool.connect().catch(unusable);
    const age = () => performance.now() - (this.#shown.get(connection) ?? -Infinity);
    if (age() <= this.#lag / 2) return connection;
    try {
      const { rows } = await connection.query({
        text: 'select milliseconds from standby_tick where process = $1',
        values: [this.#process],
      });
      const [tick] = rows as { milliseconds: number }[];
      if (tick) this.#shown.set(connection, tick.milliseconds);
    } catch (error) {
      connection.release(true);
      return unusable(error);
    }
    if (age() <= this.#lag) return connection;
    connection.release();
    throw new StandbyUnusable('it is too far behind the primary');
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Sends reads to a standby, and repeats them at the primary if the standby cannot answer. */
class StandbyDb implements Db {
  readonly isTransaction = false;
  readonly root = this;
  readonly #standby: Db;
  readonly #primary: Db;
  readonly #log: Logger;
  #pausedUntil = -Infinity;
  #isUsed = true;

  constructor(standby: Db, primary: Db, log: Logger) {
    this.#standby = standby;
    this.#primary = primary;
    this.#log = log;
  }

  isUsed(): boolean {
    return this.#isUsed;
  }

  afterCommit(work: () => Promise<void>): Promise<void> {
    return work();
  }

  query<Row>(statement: Statement): Promise<Result<Row>> {
    return this.#read((db) => db.query<Row>(statement));
  }

  together<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.#read((db) => db.together(work));
  }

  transaction<T>(work: (tx: Tx) => Promise<T>, mode?: TransactionMode): Promise<T> {
    return this.#read((db) => db.transaction(work, mode), mode);
  }

  begin(mode?: TransactionMode): Promise<OpenTx> {
    return this.#read((db) => db.begin(mode), mode);
  }

  /** Runs `work` at the standby, or at the primary. It must only read: it may run twice. */
  async #read<T>(work: (db: Db) => Promise<T>, mode: TransactionMode = { access: 'read only' }) {
    if (mode.access !== 'read only' || performance.now() < this.#pausedUntil)
      return work(this.#primary);
    try {
      const result = await work(this.#standby);
      this.#used(true);
      return result;
    } catch (error) {
      const code = sqlState(error)?.code;
      const isLost = error instanceof StandbyUnusable || isDatabaseAway(error);
      if (!isLost && code !== CANCELED && code !== READ_ONLY) throw error;
      if (isLost) {
        this.#pausedUntil = performance.now() + PAUSE_MS;
        this.#used(false, error);
      }
      return work(this.#primary);
    }
  }

  #used(isUsed: boolean, error?: unknown): void {
    if (isUsed === this.#isUsed) return;
    this.#isUsed = isUsed;
    const reason = error instanceof Error ? error.message || error.name : String(error);
    if (isUsed) this.#log.info({}, 'the standby for reads is used again');
    else this.#log.warn({ reason }, 'the standby for reads is not used: the primary answers');
  }
}

/** Writes the time of this process at the primary, again and again. Returns a function to stop. */
function startTicks(primary: Db, process: string, everyMilliseconds: number) {
  let isWriting = false;
  const tick = async () => {
    if (isWriting) return;
    isWriting = true;
    // Taken before the statement: whatever was acknowledged until now precedes the tick.
    const now = Math.floor(performance.now());
    await sql`
      insert into standby_tick as known (process, milliseconds) values (${process}::uuid, ${now})
      on conflict (process) do update set milliseconds = excluded.milliseconds`
      .execute(primary)
      .catch(() => undefined);
    isWriting = false;
  };
  // A process that runs for longer inserts its row again.
  void sql`delete from standby_tick where date_started < now() - interval '1 day'`
    .execute(primary)
    .catch(() => undefined);
  void tick();
  const timer = setInterval(() => void tick(), everyMilliseconds).unref();
  return () => clearInterval(timer);
}

/** Opens the pool of a standby. Connects on first use. */
export function openStandby(options: StandbyOptions): Standby {
  const { url, poolSize, lagSeconds, primary, log } = options;
  const process = randomUUID();
  const pool: pg.Pool = databasePool(url, {
    max: poolSize,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'sallyport standby',
    // Also if the address leads to a primary.
    options: '-c default_transaction_read_only=on',
  });
  const lag = lagSeconds * 1_000;
  const standby = new PoolDb(new ProvenPool(watchPool(pool, url), process, lag));
  const db = new StandbyDb(standby, primary, log);
  const stopTicks = startTicks(primary, process, Math.min(TICK_MS, lag / 4));
  return {
    db,
    isUsed: () => db.isUsed(),
    close() {
      stopTicks();
      return standby.close();
    },
  };
}
