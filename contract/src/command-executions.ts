import type { CommandHostState } from './resources/audits/command-execution-host.ts';

export {
  COMMAND_HOST_STATES,
  type CommandHostState,
} from './resources/audits/command-execution-host.ts';
export { type CommandResult, MOST_COMMAND_HOSTS } from './resources/ops/command-execution.ts';

/** Characters that are kept of each host's output, and of its errors. */
export const MOST_KEPT_OUTPUT = 65_536;

/** GET ops/command-executions/{id}/hosts/: a host of a batch command. */
export interface CommandHost {
  readonly id: string;
  readonly asset: string;
  readonly hostname: string;
  readonly ip: string;
  readonly state: CommandHostState;
  /** The exit status; null where there is none. */
  readonly rc: number | null;
  /** Why it failed or was not run; empty otherwise. */
  readonly reason: string;
  /** The whole of what is kept where one host is asked for, its beginning in lists. */
  readonly stdout: string;
  readonly stderr: string;
  /** More came than is in `stdout` and `stderr`. */
  readonly is_cut: boolean;
  readonly milliseconds: number;
}

/** One page of the hosts of a batch command. */
export interface CommandHosts {
  readonly count: number;
  readonly results: readonly CommandHost[];
}
