/**
 * Maximum text of a database client that needs no decision: drivers embed files in it. MySQL
 * accepts 16 to 64 MiB.
 */
export const MAX_SENT_STATEMENT = 16 * 1024 * 1024;

/** One file in transit between client and database. */
export interface FileTransfer {
  /** Counts bytes that have passed. */
  add(bytes: number): void;
  /** Ends the transfer, with a reason if it is incomplete. */
  end(reason?: 'file_incomplete'): void;
}

/** A finished statement for the log. */
export interface StatementDone {
  readonly statement: string;
  /** Number of returned or changed rows, as reported by the database. */
  readonly rows?: number | undefined;
  /** Milliseconds from sending the statement to its end. */
  readonly milliseconds: number;
  /** The error message of the database. */
  readonly error?: string | undefined;
  /** Column names and first rows of the result, if the client requested text format. */
  readonly columns?: readonly string[] | undefined;
  readonly sample?: readonly (readonly (string | null)[])[] | undefined;
}

/** The decision on a text: the refusal, or its statements for the log. */
export type TextDecision =
  | { readonly refusal: string }
  | {
      readonly refusal: undefined;
      readonly statements: readonly string[];
      /** True if a statement may change the character set. */
      readonly isCharacterSetUnknown: boolean;
      /** True if a statement set `sql_mode` to a value that only the server knows. */
      readonly isModeUnknown?: boolean;
      /** True if a statement ends a transaction. */
      readonly endsTransaction?: boolean;
    };

/** The session as a relay uses it. */
export interface StatementJournal {
  /**
   * Decides on all statements of a text before the database gets it, at once if it can. Records a
   * refused text.
   */
  decide(bytes: Buffer): TextDecision | Promise<TextDecision>;
  /** True if the permission currently allows only reading. */
  isReadOnly(): boolean;
  /** True if statements are decided by their text: reading only, or a rule that applies. */
  isRestricted(): boolean;
  /** True if a statement only asks about the last one, such as SHOW WARNINGS. */
  asksAboutLast(statement: string): boolean;
  done(statement: StatementDone): void;
  /**
   * Settles when all finished statements are logged; undefined if none is pending. The client must
   * not learn of them before.
   */
  written(): Promise<unknown> | undefined;
  /** Starts a file. `name` is its name at the client, or the statement that moves it. */
  transfer(operation: 'upload' | 'download', name: string): FileTransfer;
  /** Logs a refused file and returns the reason. `unsent` is the statement that was not sent. */
  refuseTransfer(operation: 'upload' | 'download', name: string, unsent?: string): string;
  /** Resets the idle timer. */
  active(): void;
  /** True if files may currently be sent to the database, or results saved from it. */
  mayUpload(): boolean;
  mayDownload(): boolean;
  /**
   * Returns one of our texts in the user's language. `unanswered`: the session ended before the
   * database answered.
   */
  say(
    code: 'too_long' | 'unknown_message' | 'unknown_call' | 'read_only' | 'pooled' | 'unanswered',
  ): string;
}

/** Bytes for the other side, if any, which may need time. */
export type Outgoing = Buffer | undefined | Promise<Buffer | undefined>;

/** Uses a value without a promise if it is no promise: each turn costs every statement time. */
export function whenKnown<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(use) : use(value);
}
