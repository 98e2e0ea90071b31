/** Problems of ended sessions. */
export type SessionProblem =
  /** Its row was deleted. */
  | 'session_missing'
  /** Its row or one of its commands was changed. */
  | 'session_changed'
  | 'recording_missing'
  | 'recording_changed'
  /** The storage did not deliver the recording. The next verification tries again. */
  | 'recording_unreadable'
  /** The command storage did not deliver the commands. The next verification tries again. */
  | 'commands_unreadable';

/** An ended session that failed verification. */
export interface BrokenSession {
  readonly session: string;
  readonly problem: SessionProblem;
}

/** The result of comparing ended sessions and recordings with their digests. */
export interface SessionsVerdict {
  /** Number of digests, and of those compared within the time limit. */
  readonly rows: number;
  readonly checked: number;
  /** Number of failed sessions. `broken` lists the newest hundred. */
  readonly wrong: number;
  readonly broken: readonly BrokenSession[];
}

/** Compares sessions until a time in milliseconds since 1970, or all sessions. */
export type SessionsCheck = (until?: number) => Promise<SessionsVerdict>;
