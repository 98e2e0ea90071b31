import { isDatabaseAway } from './open-client.ts';

/** Attempts to begin a transaction if connections of the pool turn out to be lost. */
const BEGIN_ATTEMPTS = 3;

/** A text with placeholders, and the values of its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Rows of a statement, and the number of rows that it returned or changed. */
export interface Result<Row> {
  readonly rows: Row[];
  readonly rowCount: number;
}

/** Characteristics of a transaction; by default `read committed` and writing. */
export interface TransactionMode {
  readonly isolation?: 'repeatable read';
  readonly access?: 'read only';
}

/** A database, or a transaction. */
export interface Db {
  readonly isTransaction: boolean;
  /** The database of a transaction or a shared connection; otherwise this one. */
  readonly root: Db;
  /**
   * Runs `work` when the statements so far are committed; the caller of the commit waits for it. A
   * rollback drops it. `work` handles its errors: the commit cannot fail any more.
   */
  afterCommit(work: () => Promise<void>): Promise<void>;
  /** `name` prepares the statement once per connection. */
  query<Row>(statement: Statement & { readonly name?: string }): Promise<Result<Row>>;
  /**
   * Runs `work` on one connection, which executes its queries in order. Queries that it sends at
   * the same time take one round trip.
   */
  together<T>(work: (db: Db) => Promise<T>): Promise<T>;
  /** Commits if `work` succeeds, else rolls back. A transaction has no other inside. */
  transaction<T>(work: (tx: Tx) => Promise<T>, mode?: TransactionMode): Promise<T>;
  /** Opens a transaction that the caller ends. */
  begin(mode?: TransactionMode): Promise<OpenTx>;
}

/** An open transaction. */
export interface Tx extends Db {
  readonly isTransaction: true;
}

/** A transaction that its owner ends. */
export interface OpenTx extends Tx {
  commit(): Promise<void>;
  /** Never fails. Does nothing after the end. */
  rollback(): Promise<void>;
}

/** A connection of a pool. */
interface Connection {
  query(statement: object): Promise<{ rows: unknown[]; rowCount: number | null }>;
  release(destroy?: boolean): void;
}

/** The part of a pool that queries use. */
export interface ConnectionPool {
  connect(): Promise<Connection>;
  end(): Promise<void>;
}

/** Thrown for a query after `close`: a late step of a stop or of an interrupted start. */
export class DatabaseClosed extends Error {
  override readonly name = 'DatabaseClosed';
  constructor() {
    super('the database connection is closed');
  }
}

/** Returns true for a query after the end of the pool, which the pool or `PoolDb` rejected. */
export const isDatabaseClosed = (error: unknown): boolean =>
  error instanceof DatabaseClosed ||
  (error instanceof Error && error.message === 'Cannot use a pool after calling end on the pool');

async function run<Row>(connection: Connection, statement: Statement): Promise<Result<Row>> {
  const { rows, rowCount } = await connection.query(statement);
  return { rows: rows as Row[], rowCount: rowCount ?? 0 };
}

/** Queries over a pool; each takes a connection for its time. */
export class PoolDb implements Db {
  readonly isTransaction = false;
  readonly root = this;
  readonly #pool: ConnectionPool;
  #closing: Promise<void> | undefined;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  afterCommit(work: () => Promise<void>): Promise<void> {
    return work();
  }

  async query<Row>(statement: Statement): Promise<Result<Row>> {
    const connection = await this.#connect();
    try {
      return await run<Row>(connection, statement);
    } finally {
      connection.release();
    }
  }

  async transaction<T>(work: (tx: Tx) => Promise<T>, mode?: TransactionMode): Promise<T> {
    const tx = await this.begin(mode);
    try {
      const result = await work(tx);
      await tx.commit();
      return result;
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }

  async together<T>(work: (db: Db) => Promise<T>): Promise<T> {
    const db = new SharedConnection(await this.#connect(), this);
    try {
      return await work(db);
    } finally {
      db.close();
    }
  }

  async begin({ isolation, access }: TransactionMode = {}): Promise<OpenTx> {
    const modes = [
      ...(isolation ? [`isolation level ${isolation}`] : []),
      ...(access ? [access] : []),
    ];
    for (let attempt = 1; ; attempt++) {
      const connection = await this.#connect();
      try {
        // Without waiting, the first write would be committed on its own if this failed.
        await connection.query({ text: ['begin', ...modes].join(' ') });
        return new PoolTransaction(connection, this);
      } catch (error) {
        const isLost = isDatabaseAway(error);
        connection.release(isLost);
        // Nothing was done yet: another connection may begin in its place.
        if (!isLost || attempt === BEGIN_ATTEMPTS) throw error;
      }
    }
  }

  /** Waits for running queries. Later ones fail with `DatabaseClosed`. */
  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }

  async #connect(): Promise<Connection> {
    if (this.#closing) throw new DatabaseClosed();
    return this.#pool.connect();
  }
}

/** A connection that runs the queries of one piece of work. */
class SharedConnection implements Db {
  readonly isTransaction = false;
  readonly root: Db;
  readonly #connection: Connection;
  #isOpen = true;

  constructor(connection: Connection, root: Db) {
    this.#connection = connection;
    this.root = root;
  }

  afterCommit(work: () => Promise<void>): Promise<void> {
    return work();
  }

  query<Row>(statement: Statement): Promise<Result<Row>> {
    // The connection may already serve other work.
    if (!this.#isOpen) return Promise.reject(new Error('the work of this connection has ended'));
    return run<Row>(this.#connection, statement);
  }

  together<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return work(this);
  }

  transaction<T>(): Promise<T> {
    return Promise.reject(new Error('a shared connection has no transaction'));
  }

  begin(): Promise<OpenTx> {
    return Promise.reject(new Error('a shared connection has no transaction'));
  }

  close(): void {
    this.#isOpen = false;
    this.#connection.release();
  }
}

class PoolTransaction implements OpenTx {
  readonly isTransaction = true;
  readonly root: Db;
  readonly #connection: Connection;
  readonly #afterCommit: (() => Promise<void>)[] = [];
  #isOpen = true;

  constructor(connection: Connection, root: Db) {
    this.#connection = connection;
    this.root = root;
  }

  async afterCommit(work: () => Promise<void>): Promise<void> {
    this.#afterCommit.push(work);
  }

  query<Row>(statement: Statement): Promise<Result<Row>> {
    return run<Row>(this.#connection, statement);
  }

  together<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return work(this);
  }

  async commit(): Promise<void> {
    await this.#connection.query({ text: 'commit' });
    this.#close(false);
    for (const work of this.#afterCommit) await work();
  }

  async rollback(): Promise<void> {
    if (!this.#isOpen) return;
    // A lost session has nothing to roll back.
    const isLost = await this.#connection.query({ text: 'rollback' }).then(
      () => false,
      () => true,
    );
    this.#close(isLost);
  }

  transaction<T>(): Promise<T> {
    return Promise.reject(new Error('a transaction has no transaction inside'));
  }

  begin(): Promise<OpenTx> {
    return Promise.reject(new Error('a transaction has no transaction inside'));
  }

  #close(isLost: boolean): void {
    this.#isOpen = false;
    this.#connection.release(isLost);
  }
}
