import type { Language, LocalText } from '@sallyport/contract';

/** The user that commands run for. */
export interface CommandPerson {
  readonly userId: string;
  /** As logs show it: `Name(username)`. */
  readonly display: string;
  readonly language: Language;
  readonly remoteAddr: string;
  /** The sign-in session that requested the command. */
  readonly loginId: string;
}

/** Result of the command on one host. */
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

/** A command to run on some hosts. */
export interface CommandRun {
  readonly person: CommandPerson;
  readonly systemUserId: string;
  readonly command: string;
  readonly assets: readonly string[];
  /** Called before each host; false skips the hosts that have not started. */
  canContinue(): boolean;
  readonly parallel: number;
  readonly secondsPerHost: number;
  readonly signal: AbortSignal;
  /** Called when the command starts on a host. */
  onBegin(assetId: string): void;
  /** Called with output as it arrives, limited per host. */
  onOutput(assetId: string, text: string, isError: boolean): void;
  onReport(report: CommandReport): Promise<void>;
}

/**
 * Runs commands as system users. The gateway implements it, because it has the connections, the
 * guard and the vault.
 */
export interface CommandWork {
  /**
   * Checks that the second factor that permissions require was verified recently.
   * @throws an error with the code of the refusal
   */
  requireFactor(person: CommandPerson, ruleIds: readonly string[]): Promise<void>;
  /**
   * Checks a command against the command filters and the account's enforced mode. `assetId` is one
   * of the hosts.
   * @throws an error with the code of the refusal
   */
  decide(what: {
    readonly person: CommandPerson;
    readonly assetId: string;
    readonly systemUserId: string;
    readonly command: string;
  }): Promise<void>;
  /**
   * Runs a command. Permission, filters, credentials and route are checked per host just before it
   * runs.
   */
  run(run: CommandRun): Promise<void>;
}
