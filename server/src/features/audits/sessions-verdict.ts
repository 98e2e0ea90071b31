/** What is wrong with a session that has ended. */
export type SessionProblem =
  /** Its row was removed. */
  | 'session_missing'
  /** Its row, or one of its commands, is not as it was. */
  | 'session_changed'
  | 'recording_missing'
  | 'recording_changed'
  /** The storage did not give it: nothing is proven, and the next verification tries again. */
  | 'recording_unreadable'
  /**
   * Its command storage did not give its commands: nothing is proven, and the next verification
   * tries again.
   */
  | 'commands_unreadable';

/** A session that is not as it was when it ended. */
export interface BrokenSession {
  readonly session: string;
  readonly problem: SessionProblem;
}

/** What became of comparing sessions and recordings with what was written down when they ended. */
export interface SessionsVerdict {
  /** How many were written down, and how many of them there was time to compare. */
  readonly rows: number;
  readonly checked: number;
  /** How many are not as they were, and the newest hundred of them. */
  readonly wrong: number;
  readonly broken: readonly BrokenSession[];
}

/** Compares sessions until a moment, in milliseconds since 1970; without one, all of them. */
export type SessionsCheck = (until?: number) => Promise<SessionsVerdict>;
