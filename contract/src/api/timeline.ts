import type { CommandVerdict } from '../resources/terminal/command.ts';

/** An event of a session, or an idle period. */
export interface TimelineEntry {
  /**
   * `idle`: no input and no file operation. `interruption`: the user's connection was lost.
   * `presence`: input waits for a second person or passes, or a reviewer joined or left.
   */
  readonly kind: 'command' | 'file' | 'idle' | 'interruption' | 'intervention' | 'presence';
  /** Seconds since the session began. */
  readonly at: number;
  /** Duration; 0 for an event. */
  readonly seconds: number;
  /**
   * Start of the command, path of the file, address from which the user returned, or author and
   * text of the intervention, or name of the reviewer; empty if idle.
   */
  readonly text: string;
  /**
   * The file operation, as in `operate` of the file-transfer log; the kind of intervention; or
   * `waits`, `passes`, `joined` and `left` of a second person.
   */
  readonly operate: string | null;
  readonly risk_level: number;
  /** False for a denied command, a failed statement, and a failed or partial file operation. */
  readonly is_success: boolean;
  /** The answer to a question before a command; `none` for other entries. */
  readonly verdict: CommandVerdict;
}

/** GET terminal/sessions/{id}/timeline/; oldest entry first. */
export interface SessionTimeline {
  /** Duration of the session; for a live one, until its latest event. */
  readonly seconds: number;
  readonly entries: readonly TimelineEntry[];
  /** Number of ordinary commands and files beyond the limit. */
  readonly left_out: number;
}
