import type { FileTransfer } from '../../sessions/file-transfers.ts';

/** A statement that is over, for the record of the session. */
export interface StatementDone {
  readonly statement: string;
  /** Rows that it answered or changed, as the database says it. */
  readonly rows?: number | undefined;
  /** Milliseconds from its way to the database to its end. */
  readonly milliseconds: number;
  /** The error with which the database answered. */
  readonly error?: string | undefined;
  /** The names of the columns of its result, and the first rows of it as texts, where the client asked for texts. */
  readonly columns?: readonly string[] | undefined;
  readonly sample?: readonly (readonly (string | null)[])[] | undefined;
}

/** What a session makes of a text: why it is refused, or its statements as they are recorded. */
export type TextDecision =
  | { readonly refusal: string }
  | {
      readonly refusal: undefined;
      readonly statements: readonly string[];
      /** It may change the character set to another one. */
      readonly isCharacterSetUnknown: boolean;
    };

/** What a relay asks of its session, and what it reports. */
export interface StatementJournal {
  /** Decides on all statements of a text, given as bytes, before the database gets it. A refused one is recorded by this call. */
  decide(bytes: Buffer): Promise<TextDecision>;
  /** Whether the permission allows nothing but reading, at this moment. */
  isReadOnly(): boolean;
  done(statement: StatementDone): void;
  /** Settles when everything that is over is in the logs: before that no client may hear of it. Undefined where it is already. */
  written(): Promise<unknown> | undefined;
  /** A file begins to pass: its name at the client, or the statement that moves it. */
  transfer(operation: 'upload' | 'download', name: string): FileTransfer;
  /** Logs that a file may not pass, and says why; `unsent` is a statement that is not sent because of it. */
  refuseTransfer(operation: 'upload' | 'download', name: string, unsent?: string): string;
  /** Bytes went through: the session is not idle. */
  active(): void;
  /** Whether files may be sent to the database, and results saved from it, at this moment. */
  mayUpload(): boolean;
  mayDownload(): boolean;
  /** A text of ours in the language of the session's person. */
  say(code: 'too_long' | 'unknown_message' | 'unknown_call' | 'read_only'): string;
}
