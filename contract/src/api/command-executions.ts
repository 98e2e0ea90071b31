import type { CommandHostState } from '../resources/audits/command-execution-host.ts';

/** POST assets/cmd-filters/{id}/try/: a command to test. */
export interface CommandTrial {
  readonly command: string;
}

export interface CaughtBy {
  readonly id: string;
  readonly type: 'command' | 'regex';
  readonly content: string;
  readonly priority: number;
  /** 0 deny, 1 allow, 2 hold, 3 confirm, 4 warn. */
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

export {
  COMMAND_HOST_STATES,
  type CommandHostState,
} from '../resources/audits/command-execution-host.ts';

export {
  COMMAND_FORM,
  type CommandResult,
  type CommandStage,
  MOST_COMMAND_HOSTS,
} from '../resources/ops/command-execution.ts';

/** Maximum stored characters of each host's output, and of its errors. */
export const MOST_KEPT_OUTPUT = 65_536;

/** Numbers of hosts of the stages of a canary run: one host, then 10 % of all, then the others. */
export function stageSizes(total: number): readonly number[] {
  const second = Math.min(total, 1 + Math.ceil(total / 10));
  return [Math.min(1, total), second - 1, total - second].filter((size) => size > 0);
}

/** GET ops/command-executions/{id}/hosts/: one host of a batch command. */
export interface CommandHost {
  readonly id: string;
  readonly asset: string;
  readonly hostname: string;
  readonly ip: string;
  readonly state: CommandHostState;
  /** The exit status; null if unknown. */
  readonly rc: number | null;
  /** Reason for a failure or a skipped run; empty otherwise. */
  readonly reason: string;
  /** All stored output for a single host; only its start in lists. */
  readonly stdout: string;
  readonly stderr: string;
  /** True if the output was longer than stored. */
  readonly is_cut: boolean;
  readonly milliseconds: number;
}

export interface CommandHosts {
  readonly count: number;
  readonly results: readonly CommandHost[];
}
