import type { Problem, SessionGuest } from '@sallyport/contract';
import type { TargetExit } from '../../protocols/connector.ts';
import type { SessionClient } from '../session-client.ts';

/** The near side of a terminal session. */
export interface TerminalSessionClient extends SessionClient {
  /** Sends output. The client acknowledges it to the session once the user has seen it. */
  output(chunk: Buffer): void;
  /** Pauses or resumes reading from the user. */
  holdInput(on: boolean): void;
  /** Reports a changed guest list. Absent if the client cannot invite guests. */
  guests?(guests: readonly SessionGuest[]): void;
  /**
   * Shows a text of an administrator next to the terminal, which already shows it as a line.
   * `isOver`: the cause of the previous text has ended.
   */
  announced?(problem: Problem, isOver: boolean): void;
  /** Files begin or end to pass as ZMODEM frames, which `output` sends. */
  passesFiles?(isPassing: boolean): void;
  /**
   * `output` sends ZMODEM frames from now on, or text again. Returns false if no user can answer
   * now. Absent if the client finds frames in its output.
   */
  separatesFrames?(on: boolean): boolean;
  /** Reports that the program at the target has exited. The session ends next. */
  exited?(exit: TargetExit): void;
}

/** The state that a reconnecting client needs. */
export interface Resumption {
  /** The missed output, or a whole screen if that is no longer kept. */
  readonly bytes: Buffer;
  readonly isScreen: boolean;
  /** Bytes of output since the session began. */
  readonly position: number;
}
