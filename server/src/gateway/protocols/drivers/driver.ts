import type { DatabaseSchema, TransactionState } from '@sallyport/contract';

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

/** The database rejected a statement. The message is the database's own. */
export class StatementError extends Error {
  /** Offset of the error in the statement, in characters, if the database reports it. */
  readonly position: number | undefined;

  constructor(message: string, position?: number) {
    super(message);
    this.name = 'StatementError';
    this.position = position;
  }
}

/** An open connection to a database. Runs one statement at a time. */
export interface DatabaseDriver {
  /** State of the transaction; always `none` without transactions. */
  readonly transaction: TransactionState;
  /**
   * Sends one statement and resolves when it has ended. The server never splits it into several.
   * @throws StatementError, or the reason of a lost connection
   */
  run(statement: string, events: ResultEvents): Promise<void>;
  /** Switches the database's read-only mode; a no-op for databases without one. */
  setReadOnly(isReadOnly: boolean): Promise<void>;
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
