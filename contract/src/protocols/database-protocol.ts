import type { DatabaseType } from '../resources/applications/database-app.ts';
import type { ServerMessage } from './terminal-protocol.ts';

/** Formats a word of a Redis command, quoted if needed. */
export function redisWord(text: string): string {
  if (/^[^\s"'\\#\p{Cc}]+$/u.test(text)) return text;
  const escaped = text
    .replace(/["\\]/g, '\\$&')
    .replace(
      /\p{Cc}/gu,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
  return `"${escaped}"`;
}

/** Maximum part of a value to show: characters of a text, or elements of other kinds. */
const MOST_TEXT = 65_535;
const MOST_PARTS = 500;

/** Returns the command that reads the start of a key's value; undefined for types of modules. */
export function redisValueCommand(kind: string, key: string): string | undefined {
  const word = redisWord(key);
  switch (kind) {
    case 'string':
      return `GETRANGE ${word} 0 ${MOST_TEXT}`;
    case 'list':
      return `LRANGE ${word} 0 ${MOST_PARTS - 1}`;
    case 'hash':
      return `HSCAN ${word} 0 COUNT ${MOST_PARTS}`;
    case 'set':
      return `SSCAN ${word} 0 COUNT ${MOST_PARTS}`;
    case 'zset':
      return `ZRANGE ${word} 0 ${MOST_PARTS - 1} WITHSCORES`;
    case 'stream':
      return `XRANGE ${word} - + COUNT ${MOST_PARTS}`;
    default:
      return undefined;
  }
}

/**
 * The WebSocket protocol of the query workspace and the gateway: one JSON message per text frame;
 * export files use binary frames. The gateway stores results, and the browser requests the visible
 * rows.
 */
export const DATABASE_SOCKET_PATH = '/ws/database/';

/** Maximum bytes of a text to run. */
export const MAX_SCRIPT = 48 * 1024;
/** Maximum rows per request. */
export const MOST_ROWS_ASKED = 500;
/** Maximum stored rows of a result; the gateway then stops the statement. */
export const MOST_RESULT_ROWS = 1_000_000;
/** Maximum characters of a value in the grid. */
export const MOST_CELL = 4096;
/** Maximum characters of a history search and of a Redis key. */
export const MOST_HISTORY_SEARCH = 200;
export const MOST_KEY = 1024;
/** Maximum unacknowledged bytes of an export. */
export const EXPORT_WINDOW = 1024 * 1024;

/** File types of a saved result. */
export const EXPORT_FORMATS = ['csv', 'xlsx'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** `failed`: the database only accepts the end of the transaction. */
export type TransactionState = 'none' | 'open' | 'failed';

/** Kinds of statements that affect every row or key of their target. */
export type SweepAct = 'update' | 'delete' | 'truncate' | 'drop' | 'flush';

export interface SchemaTable {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'table' | 'view';
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}

/** Tables of a database; for Redis, its commands. */
export interface DatabaseSchema {
  readonly tables: readonly SchemaTable[];
  readonly commands: readonly string[];
  /** True if the list is incomplete. */
  readonly isCut: boolean;
}

export interface EarlierStatement {
  readonly text: string;
  readonly date: string;
  readonly is_denied: boolean;
  /** The user decided that it does not run. */
  readonly is_declined: boolean;
  readonly is_failed: boolean;
}

/** The first rows of a table that a statement affects. */
export interface RowSample {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** Rights under the permission at this moment. */
export interface DatabaseRights {
  readonly can_export: boolean;
  readonly is_read_only: boolean;
}

export type DatabaseClientMessage =
  | { readonly type: 'connect'; readonly app: string; readonly system_user: string }
  | { readonly type: 'credentials'; readonly username: string; readonly password: string }
  | { readonly type: 'factor'; readonly code: string }
  | { readonly type: 'reason'; readonly text: string }
  /**
   * Runs the statements of a text in sequence; with `at`, the one at that character. The client
   * chooses the number `run`.
   */
  | {
      readonly type: 'run';
      readonly run: number;
      readonly text: string;
      readonly at?: number | undefined;
    }
  | { readonly type: 'cancel' }
  /** On: each statement commits. Off: a transaction begins before the first statement. */
  | { readonly type: 'autocommit'; readonly on: boolean }
  | {
      readonly type: 'rows';
      readonly result: number;
      readonly from: number;
      readonly count: number;
    }
  /** The client no longer shows the result. */
  | { readonly type: 'forget'; readonly result: number }
  | { readonly type: 'export'; readonly result: number; readonly format?: ExportFormat }
  /** Downloads an undo script, as binary frames like an export. */
  | { readonly type: 'undo'; readonly script: string }
  | { readonly type: 'ack'; readonly bytes: number }
  | { readonly type: 'schema' }
  /** Finds the user's earlier statements with this database and account by text. */
  | { readonly type: 'history'; readonly search: string }
  /** Lists Redis keys with a prefix, from a cursor; the first is "0". */
  | { readonly type: 'keys'; readonly prefix: string; readonly cursor: string }
  /** Reads the value of a Redis key. */
  | { readonly type: 'key'; readonly key: string }
  /** Answers `ask`, with the word if it asks for one. */
  | { readonly type: 'answer'; readonly yes: boolean; readonly word?: string | undefined }
  | { readonly type: 'ping' };

export type DatabaseServerMessage =
  | Extract<
      ServerMessage,
      {
        readonly type:
          | 'stage'
          | 'need_credentials'
          | 'need_factor'
          | 'need_reason'
          | 'closed'
          | 'pong';
      }
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
  /** A statement begins. `from` and `to` are its position in the text of the run. */
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
  /** Number of available rows of a result. */
  | { readonly type: 'progress'; readonly result: number; readonly rows: number }
  /** A statement ended. `is_cut`: its result has more rows than stored. */
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
  /** A kept undo script; `script` is null if it was not possible, and `message` says why. */
  | {
      readonly type: 'undo';
      readonly run: number;
      readonly script: string | null;
      readonly rows: number;
      readonly message: string | null;
    }
  /** The run has ended. */
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
  /** Answers `history`, newest first. */
  | {
      readonly type: 'history';
      readonly search: string;
      readonly statements: readonly EarlierStatement[];
    }
  /**
   * Answers `keys`. `cursor` continues the list; null at its end. `message` explains an empty list.
   */
  | {
      readonly type: 'keys';
      readonly prefix: string;
      readonly from: string;
      readonly keys: readonly string[];
      readonly cursor: string | null;
      readonly message: string | null;
    }
  /** Answers `key`. `kind` is the Redis type; `seconds` until expiry, or null. */
  | {
      readonly type: 'key';
      readonly key: string;
      readonly kind: string;
      readonly seconds: number | null;
    }
  /**
   * Asks for confirmation of a statement. `act` is set if it affects every row, `word` if the user
   * must type it, and `preview` if the account previews changes: the first affected rows, or null
   * without a preview.
   */
  | {
      readonly type: 'ask';
      readonly message: string;
      readonly seconds: number;
      readonly act?: SweepAct;
      readonly word?: string;
      readonly preview?: RowSample | null;
    }
  /** A notice in the user's language. `over`: the cause of the previous notice has ended. */
  | { readonly type: 'notice'; readonly message: string; readonly over: boolean }
  /** A file is complete. `result` is null for an undo script. */
  | { readonly type: 'exported'; readonly result: number | null; readonly bytes: number }
  | { readonly type: 'refused'; readonly message: string };
