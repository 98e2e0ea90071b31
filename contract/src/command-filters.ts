/** POST assets/cmd-filters/{id}/try/: a command to test. */
export interface CommandTrial {
  readonly command: string;
}

export interface CaughtBy {
  readonly id: string;
  readonly type: 'command' | 'regex';
  readonly content: string;
  readonly priority: number;
  /** 0 deny, 1 allow. */
  readonly action: number;
  /** The matched part of the command. */
  readonly found: string;
}

/** The result of testing a command against a filter. */
export interface CommandTrialResult {
  readonly is_allowed: boolean;
  /** Null if no rule matches, which allows the command. */
  readonly rule: CaughtBy | null;
}

/** Maximum characters of a tested command. */
export const MAX_TRIED_COMMAND = 4096;
