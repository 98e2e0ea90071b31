import type { DatabaseType } from './resources/applications/database-app.ts';
import type { ServerMessage } from './terminal-protocol.ts';

/**
 * What the query workspace and the gateway say to each other over a WebSocket: one JSON message in each frame; a file of an export comes in binary ones.
 * Results stay at the gateway, and the browser asks for the rows that it shows.
 */
export const DATABASE_SOCKET_PATH = '/ws/database/';

/** The longest text that one message may run, in bytes. */
export const MAX_SCRIPT = 48 * 1024;
/** Rows that one message may ask for. */
export const MOST_ROWS_ASKED = 500;
/** Rows of one result that are kept; the statement is stopped behind them. */
export const MOST_RESULT_ROWS = 1_000_000;
/** Characters of one value that the grid gets. */
export const MOST_CELL = 4096;
/** Characters of a search in the history, and of the key of Redis that a workspace asks about. */
export const MOST_HISTORY_SEARCH = 200;
export const MOST_KEY = 1024;
/** Bytes of an export that may be on their way. */
export const EXPORT_WINDOW = 1024 * 1024;

/** Whether a transaction is open: `failed` where the database takes nothing but its end. */
export type TransactionState = 'none' | 'open' | 'failed';

/** How a statement affects every row of its target, or every key. */
export type SweepAct = 'update' | 'delete' | 'truncate' | 'drop' | 'flush';

/** A table or view of a schema, with its columns. */
export interface SchemaTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** What is in a database; of Redis the commands that it knows. */
export interface DatabaseSchema {
  readonly tables: readonly SchemaTable[];
  readonly commands: readonly string[];
  /** There are more. */
  readonly isCut: boolean;
}

/** A statement that the person ran before. */
export interface EarlierStatement {
  readonly text: string;
  readonly date: string;
  readonly is_denied: boolean;
  readonly is_failed: boolean;
}

/** What the permission allows at this moment. */
export interface DatabaseRights {
  readonly can_export: boolean;
  readonly is_read_only: boolean;
}

export type DatabaseClientMessage =
  | { readonly type: 'connect'; readonly app: string; readonly system_user: string }
  | { readonly type: 'credentials'; readonly username: string; readonly password: string }
  | { readonly type: 'factor'; readonly code: string }
  /** Runs the statements of a text one after the other; with `at` the one at that character. `run` is a number of the client's own. */
  | {
      readonly type: 'run';
      readonly run: number;
      readonly text: string;
      readonly at?: number | undefined;
    }
  | { readonly type: 'cancel' }
  /** Each statement commits by itself, or a transaction begins before the first one. */
  | { readonly type: 'autocommit'; readonly on: boolean }
  | {
      readonly type: 'rows';
      readonly result: number;
      readonly from: number;
      readonly count: number;
    }
  /** The result is not shown any more. */
  | { readonly type: 'forget'; readonly result: number }
  | { readonly type: 'export'; readonly result: number }
  | { readonly type: 'ack'; readonly bytes: number }
  | { readonly type: 'schema' }
  /** The person's own earlier statements with this database and account that have a text in them. */
  | { readonly type: 'history'; readonly search: string }
  /** Keys of Redis with a beginning, from a cursor on; the first is "0". */
  | { readonly type: 'keys'; readonly prefix: string; readonly cursor: string }
  /** What a key of Redis holds. */
  | { readonly type: 'key'; readonly key: string }
  /** Answers `ask`. */
  | { readonly type: 'answer'; readonly yes: boolean }
  | { readonly type: 'ping' };

export type DatabaseServerMessage =
  | Extract<
      ServerMessage,
      { readonly type: 'stage' | 'need_credentials' | 'need_factor' | 'closed' | 'pong' }
    >
  | ({
      readonly type: 'open';
      readonly session: string;
      readonly app: string;
      readonly account: string;
      readonly database: DatabaseType;
      readonly name: string | null;
      readonly autocommit: boolean;
    } & DatabaseRights)
  | ({ readonly type: 'rights' } & DatabaseRights)
  /** A statement begins; `from` and `to` are its place in the text of the run. */
  | {
      readonly type: 'statement';
      readonly run: number;
      readonly text: string;
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly type: 'result';
      readonly run: number;
      readonly result: number;
      readonly columns: readonly { readonly name: string; readonly type: string }[];
    }
  /** Rows of a result that can be asked for so far. */
  | { readonly type: 'progress'; readonly result: number; readonly rows: number }
  /** A result or a statement without one is over; `is_cut` where rows were left out. */
  | {
      readonly type: 'answered';
      readonly run: number;
      readonly result: number | null;
      readonly rows: number | null;
      readonly milliseconds: number;
      readonly is_cut: boolean;
    }
  | {
      readonly type: 'failed';
      readonly run: number;
      readonly message: string;
      readonly position: number | null;
      readonly is_refused: boolean;
    }
  /** Nothing of the run is left. */
  | {
      readonly type: 'finished';
      readonly run: number;
      readonly transaction: TransactionState;
      readonly autocommit: boolean;
    }
  | {
      readonly type: 'rows';
      readonly result: number;
      readonly from: number;
      readonly rows: readonly (readonly (string | null)[])[];
    }
  | ({ readonly type: 'schema' } & DatabaseSchema)
  /** Answers `history`, the newest first. */
  | {
      readonly type: 'history';
      readonly search: string;
      readonly statements: readonly EarlierStatement[];
    }
  /** Answers `keys`; `cursor` goes on, and is null behind the last one. `message` says why there are none. */
  | {
      readonly type: 'keys';
      readonly prefix: string;
      readonly from: string;
      readonly keys: readonly string[];
      readonly cursor: string | null;
      readonly message: string | null;
    }
  /** Answers `key`; `kind` in the words of Redis, `seconds` until it expires, or null. */
  | {
      readonly type: 'key';
      readonly key: string;
      readonly kind: string;
      readonly seconds: number | null;
    }
  /** Asks before a statement runs; `act` is set if the statement affects every row. */
  | {
      readonly type: 'ask';
      readonly message: string;
      readonly seconds: number;
      readonly act?: SweepAct;
    }
  | { readonly type: 'exported'; readonly result: number; readonly bytes: number }
  | { readonly type: 'refused'; readonly message: string };
