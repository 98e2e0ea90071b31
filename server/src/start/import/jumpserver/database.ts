import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import { StartError } from '../../../config.ts';
import type { SourceSettings } from './settings.ts';

/** A row of a table in the source. */
export type Row = Readonly<Record<string, unknown>>;

/** The database of JumpServer in one read-only snapshot. */
export interface SourceDatabase {
  /** Returns true if the table exists. */
  has(table: string): boolean;
  /** Reads a table in pages, in the order of its ids; none if it does not exist. */
  rows(table: string): AsyncGenerator<Row>;
  close(): Promise<void>;
}

/** A database whose rows can be found by a column. */
export interface IndexedSource extends SourceDatabase {
  /** Reads rows by the values of a column, in the order of value, time and id. */
  related(table: string, column: string, values: readonly string[]): AsyncGenerator<Row>;
}

const PAGE = 5_000;
/** Maximum rows of one import. */
const MOST_ROWS = 20_000_000;
const CONNECT_MS = 10_000;
const STATEMENT_MS = 60_000;

/** Runs a statement; placeholders are those of the driver. */
interface Driver {
  query(statement: string, values?: readonly string[]): Promise<readonly Row[]>;
  quote(name: string): string;
  /** Returns the placeholder of a value by its position, from 1. */
  placeholder(position: number): string;
  close(): Promise<void>;
}

async function connectPostgres(settings: SourceSettings): Promise<Driver> {
  const { host, port, user, password, database, authority } = settings;
  const client = new pg.Client({
    ...{ host, port, user, password, database },
    ssl: authority === undefined ? false : { ca: authority },
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    application_name: 'sallyport import',
  });
  client.on('error', () => undefined);
  await client.connect();
  await client.query('begin transaction isolation level repeatable read read only');
  return {
    query: async (text, values = []) => (await client.query({ text, values: [...values] })).rows,
    quote: pg.escapeIdentifier,
    placeholder: (position) => `$${position}`,
    close: () => client.end(),
  };
}

async function connectMysql(settings: SourceSettings): Promise<Driver> {
  const { host, port, user, password, database, authority } = settings;
  const connection = await createConnection({
    ...{ host, port, user, password, database },
    ...(authority !== undefined && { ssl: { ca: authority } }),
    connectTimeout: CONNECT_MS,
    // Django stores UTC.
    timezone: 'Z',
    charset: 'utf8mb4',
  });
  connection.on('error', () => undefined);
  await connection.query('set session transaction isolation level repeatable read');
  await connection.query('start transaction with consistent snapshot, read only');
  return {
    query: async (statement, values = []) => {
      const options = { sql: statement, timeout: STATEMENT_MS, values: [...values] };
      return (await connection.query<RowDataPacket[]>(options))[0];
    },
    quote: (name) => `\`${name.replaceAll('`', '``')}\``,
    placeholder: () => '?',
    close: () => connection.end(),
  };
}

/** Opens the database of the source. @throws StartError without its password */
export async function openSource(settings: SourceSettings): Promise<IndexedSource> {
  const { engine, host, port, database } = settings;
  const connect = engine === 'mysql' ? connectMysql : connectPostgres;
  const driver = await connect(settings).catch((error: Error) => {
    throw new StartError(
      `The ${engine} database ${database} at ${host}:${port} does not answer: ${error.message}`,
    );
  });
  const schema = engine === 'mysql' ? 'table_schema = database()' : "table_schema = 'public'";
  const tables = await driver.query(
    `select table_name as "name" from information_schema.tables where ${schema}`,
  );
  let read = 0;
  const names = new Set(tables.map(({ name }) => String(name)));
  const count = (rows: number) => {
    read += rows;
    if (read > MOST_ROWS) throw new StartError(`The source has more than ${MOST_ROWS} rows.`);
  };
  return {
    has: (table) => names.has(table),
    async *related(table, column, values) {
      if (!names.has(table) || values.length === 0) return;
      const key = driver.quote(column);
      const marks = values.map((_, index) => driver.placeholder(index + 1)).join(', ');
      const order = [key, driver.quote('timestamp'), driver.quote('id')].join(', ');
      for (let offset = 0; ; offset += PAGE) {
        const page = await driver.query(
          `select * from ${driver.quote(table)} where ${key} in (${marks}) order by ${order} limit ${PAGE} offset ${offset}`,
          values,
        );
        count(page.length);
        yield* page;
        if (page.length < PAGE) return;
      }
    },
    async *rows(table) {
      if (!names.has(table)) return;
      const from = `select * from ${driver.quote(table)}`;
      const order = `order by ${driver.quote('id')} limit ${PAGE}`;
      let last: string | undefined;
      for (;;) {
        const after = `where ${driver.quote('id')} > ${driver.placeholder(1)}`;
        const page =
          last === undefined
            ? await driver.query(`${from} ${order}`)
            : await driver.query(`${from} ${after} ${order}`, [last]);
        count(page.length);
        yield* page;
        if (page.length < PAGE) return;
        last = String(page.at(-1)?.id);
      }
    },
    close: () => driver.close(),
  };
}
