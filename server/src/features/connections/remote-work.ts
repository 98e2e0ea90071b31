import type { HardwareFacts, LocalText, Problem } from '@sallyport/contract';
import type { TargetFiles } from '../../gateway/protocols/connector.ts';
import type { AccountServices } from '../../gateway/remote/probe-services.ts';

/** The account that work on an asset uses. */
export type RemoteIdentity =
  /** The admin user of each asset; becomes root where needed. */
  | { readonly kind: 'admin_user' }
  /** A system user, without root. `username` is set if it takes the usernames of its users. */
  | { readonly kind: 'system_user'; readonly id: string; readonly username?: string }
  /**
   * An account by its name, with its effective secret on the asset or one stored version. Becomes
   * root where needed.
   */
  | { readonly kind: 'account'; readonly username: string; readonly assetUserId?: string }
  /**
   * An account with a secret that is not stored yet, opened when the work on the asset starts.
   * Becomes root where needed.
   */
  | {
      readonly kind: 'offered';
      readonly username: string;
      readonly secret: (
        assetId: string,
      ) => Promise<{ readonly password?: string; readonly privateKey?: string }>;
    };

/** Result of the work on one asset. */
export type AssetReport<Result> = {
  readonly assetId: string;
  readonly name: string;
  /**
   * The account that was, or would have been, used; '' if there is none or only a port was tested.
   */
  readonly username: string;
  readonly milliseconds: number;
  /** Offers of the server, if a test signed the account in. */
  readonly services?: AccountServices;
} & (
  | {
      readonly state: 'done';
      /** Steps that made changes, as named by the module. */
      readonly changed: readonly string[];
      readonly result: Result;
    }
  /** `detail` is output of programs on the server, not our text. */
  | {
      readonly state: 'failed';
      /** `connect_*` if the connection failed, `remote_*` if the work failed. */
      readonly code: string;
      /** True if the sign-in succeeded. */
      readonly reached: boolean;
      readonly reason: LocalText;
      readonly detail?: string;
    }
  /**
   * The asset was not contacted: it is disabled, has no account to use, or does not support the
   * work.
   */
  | { readonly state: 'skipped'; readonly reason: LocalText }
);

/** A run on assets. */
export interface AssetRun<Result> {
  /** Pages of ids. */
  readonly assets: AsyncIterable<readonly string[]>;
  /** Default: the admin users of the assets. */
  readonly as?: RemoteIdentity;
  readonly parallel: number;
  /** Timeout per asset, in seconds. Default: 60. */
  readonly secondsPerAsset?: number;
  /** Dry run: reports changes without making them. */
  readonly check?: boolean;
  readonly signal: AbortSignal;
  /** Called for each asset when it has finished; the run awaits it. */
  onReport(report: AssetReport<Result>): Promise<void>;
  /** Decides whether to keep a change on an asset, for work that supports it. */
  readonly decide?: (assetId: string) => Promise<boolean>;
  /** Called with output of a program as it arrives. */
  readonly onOutput?: (assetId: string, text: string, isError: boolean) => void;
}

/** Output of a program on a server. */
export interface ProgramAnswer {
  readonly output: string;
  readonly errors: string;
  /** Undefined if a signal ended the program. */
  readonly status: number | undefined;
  /** True if the output was truncated. */
  readonly isCut: boolean;
}

/** Kinds of work with their input and result types. `gateway/remote/modules` implements them. */
export interface RemoteKinds {
  readonly ping: { readonly input: undefined; readonly result: undefined };
  readonly facts: { readonly input: undefined; readonly result: HardwareFacts };
  readonly command: {
    readonly input: { readonly command: string };
    readonly result: ProgramAnswer;
  };
  readonly script: { readonly input: { readonly script: string }; readonly result: ProgramAnswer };
  readonly password: {
    readonly input: { readonly name: string; readonly password: string };
    readonly result: undefined;
  };
  /** Sets a password, and restores the old one unless `decide` confirms. */
  readonly 'change-password': {
    readonly input: {
      readonly name: string;
      readonly password: string;
      readonly old?: string | undefined;
    };
    readonly result: { readonly isUndone: boolean };
  };
  /** Adds a key. Removes the old key if `decide` confirms, otherwise the new one. */
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

/** Result of pushing one account. */
export interface PushReport {
  readonly username: string;
  /** `user`, `shell`, `home`, `group`, `password`, `key`, `sudo`. */
  readonly changed: readonly string[];
  /** Set if the push failed. */
  readonly reason?: LocalText;
  readonly detail?: string;
}

/** An account on an asset. */
export interface RemoteAccount {
  readonly assetId: string;
  readonly systemUserId: string;
  /** Its name on the asset. */
  readonly username: string;
}

/** The open files of an account, and the setting of its root. */
export interface RemoteFiles {
  readonly files: TargetFiles;
  readonly root: string;
}

/** Work on the servers of assets. The gateway implements it, because it has the connections. */
export interface RemoteWork {
  /**
   * Runs one kind of work on many assets, with one input for all or one per asset. `ping` signs in
   * and finds if commands run and files are served. An account other than the admin user that is
   * signed in and runs no commands passes. Without SSH, `ping` performs the first exchange of
   * telnet, RDP or VNC.
   * @throws Invalid if the single input is invalid; no asset was contacted then
   */
  run<Kind extends keyof RemoteKinds>(
    kind: Kind,
    input: RemoteKinds[Kind]['input'] | ((assetId: string) => Promise<RemoteKinds[Kind]['input']>),
    run: AssetRun<RemoteKinds[Kind]['result']>,
  ): Promise<void>;
  /**
   * Returns why work as the admin user would skip an asset, by its id, without connecting. Assets
   * that can be worked on are left out.
   */
  obstacles(ids: readonly string[]): Promise<ReadonlyMap<string, LocalText>>;
  /**
   * Opens the files of an account with its stored secret. The caller closes them.
   * @throws Refusal
   */
  openFiles(account: RemoteAccount, signal: AbortSignal): Promise<RemoteFiles>;
  /**
   * Connects through a gateway to a port of the same machine. Returns the problem; undefined on
   * success.
   */
  tryGateway(gatewayId: string, port: number): Promise<Problem | undefined>;
  /**
   * Creates or updates the accounts of a system user, with home folder, secrets or trusted
   * authorities, and sudo rule. `usernamesOf` returns the accounts on an asset. A failed account
   * does not stop the others.
   */
  push(
    systemUserId: string,
    usernamesOf: (assetId: string) => Promise<readonly string[]>,
    run: AssetRun<readonly PushReport[]>,
  ): Promise<void>;
}
