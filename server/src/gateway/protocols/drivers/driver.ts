import type { DatabaseSchema, TransactionState } from '@sallyport/contract';

/** A column of a result. */
export interface ResultColumn {
  readonly name: string;
  /** The type in the words of the database, such as `int4`; empty where it has none. */
  readonly type: string;
}

/** What a statement answers, in the order in which it comes. */
export interface ResultEvents {
  /** A result begins. */
  onColumns(columns: readonly ResultColumn[]): void;
  /** A row of it, as texts; null is NULL. */
  onRow(values: readonly (string | null)[]): void;
  /** A result is over: rows that it answered or changed. */
  onResult(rows: number | undefined): void;
}

/** A database refused a statement, in its own words. */
export class StatementError extends Error {
  /** Characters of the statement before the error, where the database says it. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.name = 'StatementError';
    this.position = position;
  }
}

/** An open connection to a database. One statement at a time. */
export interface DatabaseDriver {
  /** Whether a transaction is open. Without transactions always `none`. */
  readonly transaction: TransactionState;
  /** Sends one statement and settles when it is over; a server never reads several out of it. @throws StatementError, or what ended the connection */
  run(statement: string, events: ResultEvents): Promise<void>;
  /** Puts the connection into the read-only mode of the database, or out of it; nothing where there is none. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Stops reading rows, or goes on; the database notices and waits. */
  pause(): void;
  resume(): void;
  /** Asks the database to give up the statement that runs. */
  cancel(): Promise<void>;
  /** What is in the database, bounded. */
  schema(): Promise<DatabaseSchema>;
  /** Ends the connection and everything that was opened to reach it. Harmless when it has ended. */
  close(): void;
}

/** Tables, and columns of all of them, that a schema lists at most. */
export const MOST_TABLES = 2000;
export const MOST_COLUMNS = 20_000;
/** Bytes that may come between two rows: the longest row that is read. A server that sends more is cut off. */
export const MAX_ROW = 32 * 1024 * 1024;

/** Gathers the rows of a catalog query, `schema, table, kind, column, type` in their order, into a schema. */
export function schemaOf(rows: readonly (readonly (string | null)[])[]): DatabaseSchema {
  const tables: {
    schema: string;
    name: string;
    kind: 'table' | 'view';
    columns: { name: string; type: string }[];
  }[] = [];
  let isCut = rows.length >= MOST_COLUMNS;
  for (const [schema, name, kind, column, type] of rows) {
    const last = tables.at(-1);
    const isSame = last?.schema === schema && last?.name === name;
    if (!isSame && tables.length >= MOST_TABLES) {
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
