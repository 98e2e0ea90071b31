import type { Language, LocalText } from '@sallyport/contract';

/** The person for whom commands run. */
export interface CommandPerson {
  readonly userId: string;
  /** As logs name them: `Name(username)`. */
  readonly display: string;
  readonly language: Language;
  readonly remoteAddr: string;
  /** The sign-in in which they asked for it. */
  readonly loginId: string;
}

/** What became of the command on one host. */
export type CommandReport = {
  readonly assetId: string;
  readonly milliseconds: number;
} & (
  | {
      readonly state: 'done';
      readonly output: string;
      readonly errors: string;
      /** Undefined when a signal ended the command. */
      readonly status: number | undefined;
      readonly isCut: boolean;
    }
  | { readonly state: 'failed'; readonly reason: LocalText }
);

/** A command for some hosts. */
export interface CommandRun {
  readonly person: CommandPerson;
  readonly systemUserId: string;
  readonly command: string;
  readonly assets: readonly string[];
  /** Asked before each host; false leaves out those that have not begun. */
  goesOn(): boolean;
  readonly parallel: number;
  readonly secondsPerHost: number;
  readonly signal: AbortSignal;
  /** The command begins on a host. */
  onBegin(assetId: string): void;
  /** Output of the command as it comes, bounded for each host. */
  onOutput(assetId: string, text: string, isError: boolean): void;
  onReport(report: CommandReport): Promise<void>;
}

/**
 * Runs commands as system users. The gateway brings it: it has the connections, the guard and the
 * vault.
 */
export interface CommandWork {
  /**
   * Whether the second factor that permissions ask for was proved lately.
   * @throws an error with the code of the refusal
   */
  requireFactor(person: CommandPerson, ruleIds: readonly string[]): Promise<void>;
  /**
   * Refuses what the command filters, or the account's enforced mode, do not allow. `assetId`: one
   * of the hosts.
   * @throws an error with the code of the refusal
   */
  decide(what: {
    readonly person: CommandPerson;
    readonly assetId: string;
    readonly systemUserId: string;
    readonly command: string;
  }): Promise<void>;
  /** Runs it. Permission, filters, credentials and route are asked for when a host's turn comes. */
  run(run: CommandRun): Promise<void>;
}
