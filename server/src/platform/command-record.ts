/** One command of a session, as the gateway hands it over and the log of commands writes it. */
export interface CommandRecord {
  readonly sequence: number;
  /** At most 4096 characters. */
  readonly input: string;
  /** The beginning, at most 1024 characters of plain text. */
  readonly output: string;
  /** Milliseconds since the session began. */
  readonly at: number;
  /** The target never got it: the guard refused it, and the output says why. */
  readonly isRefused?: boolean;
  /** Of a statement: the rows that it answered or changed, the milliseconds that it took at the database, and the error that it ended with. */
  readonly rows?: number;
  readonly milliseconds?: number;
  readonly error?: string;
  /** Who typed it, where guests of the session did; absent for the person of the session alone. */
  readonly typedBy?: string;
  /** A statement that affected every row of its target. */
  readonly isDangerous?: boolean;
  /** The key tree of the query workspace ran it, and not the person. */
  readonly isByKeyTree?: boolean;
}
