/** POST assets/cmd-filters/{id}/try/: a command as somebody would type it. */
export interface CommandTrial {
  readonly command: string;
}

/** The rule that catches a command. */
export interface CaughtBy {
  readonly id: string;
  readonly type: 'command' | 'regex';
  readonly content: string;
  readonly priority: number;
  /** 0 deny, 1 allow. */
  readonly action: number;
  /** The part of the command that it found. */
  readonly found: string;
}

/** What the rules of a filter make of a command. */
export interface CommandTrialResult {
  readonly is_allowed: boolean;
  /** Null: no rule catches it, so it is allowed. */
  readonly rule: CaughtBy | null;
}

/** The longest command that can be tried. */
export const MAX_TRIED_COMMAND = 4096;
