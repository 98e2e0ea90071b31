import type { DatabaseSchema, TransactionState } from '@sallyport/contract';
import { MAX_DATABASE_ERROR } from '../../limits.ts';
import { Flood } from './guard-reads.ts';

export interface ResultColumn {
  readonly name: string;
  /** Type name of the database, such as `int4`; empty if the database has no types. */
  readonly type: string;
}

/** Events of a running statement, in order of arrival. */
export interface ResultEvents {
  /** A result set begins. */
  onColumns(columns: readonly ResultColumn[]): void;
  /** A row of the result set; null is SQL NULL. */
  onRow(values: readonly (string | null)[]): void;
  /**
   * A result set ended. `rows` is the number of returned or affected rows; `changed` the number of
   * those with new values, if the database reports it.
   */
  onResult(rows: number | undefined, changed?: number): void;
}

/** The database rejected a statement. The message is the database's own, cut to a limit. */
export class StatementError extends Error {
  /** Offset of the error in the statement, in characters, if the database reports it. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message.slice(0, MAX_DATABASE_ERROR));
    this.name = 'StatementError';
    this.position = position;
  }
}

/** The error of a statement that was canceled before its execution, in the words of PostgreSQL. */
export const canceled = (): StatementError =>
  new StatementError('canceling statement due to user request');

/** An open connection to a database. Runs one statement at a time. */
export interface DatabaseDriver {
  /** State of the transaction; always `none` without transactions. */
  readonly transaction: TransactionState;
  /**
   * Sends one statement and resolves when it has ended. The server never splits it into several.
   * @throws StatementError, or the reason of a lost connection
   */
  run(statement: string, events: ResultEvents): Promise<void>;
  /**
   * Switches the database's read-only mode; a no-op for databases without one.
   * @throws Refusal if a pooler would give the mode to other clients, or StatementError
   */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /**
   * Sets UTF-8 for statements again, if the server does not report changes of the character set.
   * @throws StatementError
   */
  keepUtf8(): Promise<void>;
  /**
   * Takes back modes of MySQL in which a text means something else than we read.
   * @throws StatementError
   */
  keepReadable(): Promise<void>;
  /** Stops reading rows (back pressure). */
  pause(): void;
  resume(): void;
  cancel(): Promise<void>;
  /** Returns tables and columns, up to the limits below. */
  schema(): Promise<DatabaseSchema>;
  /** Closes the connection and its route. Idempotent. */
  close(): void;
}

/** Maximum number of tables, and of columns over all tables, in a schema. */
export const MAX_TABLES = 2000;
export const MAX_COLUMNS = 20_000;
/** Maximum size of a row, in bytes. A server that sends more is disconnected. */
export const MAX_ROW = 32 * 1024 * 1024;

/**
 * Runs one of our statements and returns its rows. Disconnects a server that sends more than
 * `MAX_COLUMNS`, which our statements never request.
 * @throws StatementError
 */
export async function allRows(
  driver: Pick<DatabaseDriver, 'run'>,
  statement: string,
): Promise<readonly (readonly (string | null)[])[]> {
  const rows: (readonly (string | null)[])[] = [];
  let size = 0;
  await driver.run(statement, {
    onColumns: () => undefined,
    onRow(row) {
      for (const value of row) size += value?.length ?? 0;
      if (rows.push(row) > MAX_COLUMNS || size > MAX_ROW) throw new Flood('too many rows');
    },
    onResult: () => undefined,
  });
  return rows;
}

/** Builds a schema from ordered catalog rows of `schema, table, kind, column, type`. */
export function schemaOf(rows: readonly (readonly (string | null)[])[]): DatabaseSchema {
  const tables: {
    schema: string;
    name: string;
    kind: 'table' | 'view';
    columns: { name: string; type: string }[];
  }[] = [];
  let isCut = rows.length >= MAX_COLUMNS;
  for (const [schema, name, kind, column, type] of rows) {
    const last = tables.at(-1);
    const isSame = last?.schema === schema && last?.name === name;
    if (!isSame && tables.length >= MAX_TABLES) {
      isCut = true;
      break;
    }
    const table =
      isSame && last
        ? last
        : {
            schema: schema ?? '',
            name: name ?? '',
            kind: kind === 'view' ? ('view' as const) : ('table' as const),
            columns: [],
          };
    if (!isSame) tables.push(table);
    if (column) table.columns.push({ name: column, type: type ?? '' });
  }
  return { tables, commands: [], isCut };
}
