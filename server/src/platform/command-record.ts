import type { CommandVerdict } from '@sallyport/contract';

/** A command of a session, passed from the gateway to the command log. */
export interface CommandRecord {
  readonly sequence: number;
  /** At most 4096 characters. */
  readonly input: string;
  /** Beginning of the output, at most 1024 characters of plain text. */
  readonly output: string;
  /** Milliseconds since the session began. */
  readonly at: number;
  /**
   * The guard rejected the command, and the target did not receive it. `output` states the reason.
   */
  readonly isRefused?: boolean;
  /** The answer of the user to a question before it; absent if none was asked. */
  readonly verdict?: CommandVerdict;
  /** Rows that a statement returned or changed, milliseconds at the database, and its error. */
  readonly rows?: number;
  readonly milliseconds?: number;
  readonly error?: string;
  /** User who typed the command in a session with guests; absent in a session without guests. */
  readonly typedBy?: string;
  /** True for a statement that affected every row of its target. */
  readonly isDangerous?: boolean;
  /** True if the key tree of the query workspace ran the command, not the user. */
  readonly isByKeyTree?: boolean;
}
