import type { LocalText, Problem } from '@sallyport/contract';
import type { Hardware } from '../assets/findings.ts';

/** As whom work on an asset is done. */
export type RemoteIdentity =
  /** The admin user of each asset, which becomes root where the work needs it. */
  | { readonly kind: 'admin_user' }
  /**
   * A system user, without further rights. `username`: the account's name, for one whose name is
   * that of its user.
   */
  | { readonly kind: 'system_user'; readonly id: string; readonly username?: string }
  /**
   * An account by its name, with the secret that counts for it on the asset, or with one stored
   * version of it. It becomes root where the work needs it.
   */
  | { readonly kind: 'account'; readonly username: string; readonly assetUserId?: string }
  /**
   * An account with a secret that is not stored for it yet, opened when the turn of the asset
   * comes. It becomes root where the work needs it.
   */
  | {
      readonly kind: 'offered';
      readonly username: string;
      readonly secret: (
        assetId: string,
      ) => Promise<{ readonly password?: string; readonly privateKey?: string }>;
    };

/** What became of one asset. */
export type AssetReport<Result> = {
  readonly assetId: string;
  readonly name: string;
  /**
   * The account that was, or would have been used; '' where there is none, or where only a port was
   * tried.
   */
  readonly username: string;
  readonly milliseconds: number;
} & (
  | {
      readonly state: 'done';
      /** What the work changed, in the words of its module. */
      readonly changed: readonly string[];
      readonly result: Result;
    }
  /** `detail`: what the programs of the server said; it is no text of ours. */
  | {
      readonly state: 'failed';
      /**
       * `connect_*` for what keeps a connection from being made, `remote_*` for the work itself.
       */
      readonly code: string;
      /** The connection was open and signed in. */
      readonly reached: boolean;
      readonly reason: LocalText;
      readonly detail?: string;
    }
  /**
   * It was not contacted, and nothing is known about it: it is switched off, has no account to work
   * with, or work on it is not supported.
   */
  | { readonly state: 'skipped'; readonly reason: LocalText }
);

/** A run over assets. */
export interface AssetRun<Result> {
  /** Pages of ids. */
  readonly assets: AsyncIterable<readonly string[]>;
  /** The admin users of the assets unless it says otherwise. */
  readonly as?: RemoteIdentity;
  readonly parallel: number;
  /** How long one asset may take; a minute unless it says otherwise. */
  readonly secondsPerAsset?: number;
  /** Dry run: says what would change and changes nothing. */
  readonly check?: boolean;
  readonly signal: AbortSignal;
  /** Called for each asset as soon as it is over; the run waits for it. */
  onReport(report: AssetReport<Result>): Promise<void>;
  /** Output of a program as it comes. */
  /** Whether what was done on an asset is kept, for work that asks. */
  readonly decide?: (assetId: string) => Promise<boolean>;
  readonly onOutput?: (assetId: string, text: string, isError: boolean) => void;
}

/** What a program at a server answered. */
export interface ProgramAnswer {
  readonly output: string;
  readonly errors: string;
  /** Undefined when a signal ended it. */
  readonly status: number | undefined;
  /** More came than is kept. */
  readonly isCut: boolean;
}

/**
 * The kinds of work, with what goes in and what comes out. `gateway/remote/modules` says what each
 * does.
 */
export interface RemoteKinds {
  readonly ping: { readonly input: undefined; readonly result: undefined };
  readonly facts: { readonly input: undefined; readonly result: Hardware };
  readonly command: {
    readonly input: { readonly command: string };
    readonly result: ProgramAnswer;
  };
  readonly script: { readonly input: { readonly script: string }; readonly result: ProgramAnswer };
  readonly password: {
    readonly input: { readonly name: string; readonly password: string };
    readonly result: undefined;
  };
  /** Sets a password and takes it back unless `decide` says yes. */
  readonly 'change-password': {
    readonly input: {
      readonly name: string;
      readonly password: string;
      readonly old?: string | undefined;
    };
    readonly result: { readonly isUndone: boolean };
  };
  /** Adds a key, and takes the old one away if `decide` says yes, otherwise the new one. */
  readonly 'change-key': {
    readonly input: { readonly name: string; readonly key: string; readonly old: string };
    readonly result: { readonly isUndone: boolean };
  };
  readonly 'authorized-key': {
    readonly input: {
      readonly name: string;
      readonly key: string;
      readonly mode: 'add' | 'only' | 'remove';
    };
    readonly result: undefined;
  };
  readonly 'gather-users': {
    readonly input: undefined;
    readonly result: readonly {
      readonly username: string;
      readonly uid: number;
      readonly home: string;
      readonly shell: string;
      readonly lastLogin?: { readonly date: Date; readonly from: string };
    }[];
  };
}

/** What became of one pushed account. */
export interface PushReport {
  readonly username: string;
  /** `user`, `shell`, `home`, `group`, `password`, `key`, `sudo`. */
  readonly changed: readonly string[];
  /** Why it ended before all of it was done. */
  readonly reason?: LocalText;
  readonly detail?: string;
}

/** Work on the servers of assets. The gateway brings it: it has the connections. */
export interface RemoteWork {
  /**
   * Does one kind of work on many assets, with one input or with one for each of them. `ping` signs
   * in and proves that commands run; on assets where nothing can run it tries telnet, RDP or VNC by
   * their own first exchange.
   * @throws Invalid when the one input is wrong; nothing was contacted then
   */
  run<Kind extends keyof RemoteKinds>(
    kind: Kind,
    input: RemoteKinds[Kind]['input'] | ((assetId: string) => Promise<RemoteKinds[Kind]['input']>),
    run: AssetRun<RemoteKinds[Kind]['result']>,
  ): Promise<void>;
  /**
   * Connects to a port of a gateway's own machine, through it. Undefined when the port answered;
   * otherwise what was wrong.
   */
  tryGateway(gatewayId: string, port: number): Promise<Problem | undefined>;
  /**
   * Makes accounts of a system user, with home folder, password, key and sudo rule as it has them.
   * `usernamesOf`: the names of its accounts on an asset. One account that fails keeps no other
   * from being made.
   */
  push(
    systemUserId: string,
    usernamesOf: (assetId: string) => Promise<readonly string[]>,
    run: AssetRun<readonly PushReport[]>,
  ): Promise<void>;
}
