import type { ErrorCode, Language } from '@sallyport/contract';

/**
 * What the gateway needs from the rest of the product. The gateway imports no feature; whoever starts it brings implementations
 * of these interfaces. Every method may refuse by throwing a `Refusal`; anything else that is thrown is told as an internal error.
 */
export interface GatewayPorts {
  readonly sessions: SessionStore;
  readonly access: Access;
  readonly credentials: Credentials;
  readonly route: Route;
  readonly hostKeys: HostKeys;
  readonly limits: Limits;
  readonly log: GatewayLog;
}

/** Who is at the near end of a connection; already authenticated. */
export interface Person {
  readonly userId: string;
  /** As it is stored in session rows: `Name(username)`. */
  readonly display: string;
  readonly language: Language;
  readonly remoteAddr: string | null;
  /** `WT` from the web terminal, `ST` from an SSH client. */
  readonly loginFrom: 'WT' | 'ST';
  /** The sign-in that this connection hangs on; `Hub.signOut` ends what belongs to it. */
  readonly loginId?: string;
}

/** Refuses unless the person may connect at this moment. */
export interface Access {
  check(userId: string, assetId: string, systemUserId: string): Promise<Grant>;
}

/** An allowed connection, with the reason why it is allowed. */
export interface Grant {
  readonly asset: {
    readonly id: string;
    readonly hostname: string;
    readonly ip: string;
    readonly port: number;
    readonly orgId: string;
    readonly charset: 'utf8' | 'gbk';
  };
  readonly systemUser: {
    readonly id: string;
    readonly name: string;
    readonly username: string;
    readonly loginMode: 'auto' | 'manual';
    readonly protocol: 'ssh';
  };
  readonly ruleIds: readonly string[];
  /** The bits of `ACTIONS` in the contract. */
  readonly actions: number;
  /** When the last rule that allows this ends. */
  readonly validUntil: Date | null;
}

/** What a target or a hop is told to let us in. Lives in memory only, and only while a connection is made. */
export interface Login {
  readonly username: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly passphrase?: string;
}

/** The vault. Asked at the moment of connecting and never before. */
export interface Credentials {
  /** `undefined` when nothing is stored; the person is asked then. */
  open(systemUserId: string, assetId: string): Promise<Login | undefined>;
}

/** One SSH server on the way, with what opens it. */
export interface Hop {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly login: Login;
}

/** The way to an asset. */
export interface Route {
  /** In the order in which they are passed; empty when the asset is reached directly. */
  gateways(assetId: string): Promise<readonly Hop[]>;
}

/** A host key that a server showed. */
export interface OfferedKey {
  readonly kind: 'asset' | 'gateway';
  /** The asset's or the gateway's id: each owner has pins of its own, so a hop's key can never stand for a target's. */
  readonly ownerId: string;
  readonly host: string;
  readonly port: number;
  /** For instance `ssh-ed25519`. */
  readonly keyType: string;
  /** The key in SSH wire form. */
  readonly key: Buffer;
}

/** The pins. */
export interface HostKeys {
  /**
   * `pinned`: this very key is known. `first-use`: none was known and this one is pinned now. `changed`: another key of whatever type
   * is pinned; the offered one is kept for review, the change is audited, and the connection is refused.
   */
  verify(offered: OfferedKey): Promise<'pinned' | 'first-use' | 'changed'>;
}

/** How long things may take. Read at the start of each connection; the hub is told when they change. */
export interface Limits {
  read(): Promise<LimitValues>;
}

export interface LimitValues {
  /** Minutes without input and output. */
  readonly idleMinutes: number;
  readonly maximumHours: number;
  readonly connectSeconds: number;
}

/** The row of a session, written before its first byte. */
export interface NewSession {
  readonly id: string;
  readonly person: Person;
  readonly grant: Grant;
  /** The account at the target; differs from the system user's when the person typed one. */
  readonly account: string;
  readonly dateStart: Date;
}

export type ReplayState = 'none' | 'recording' | 'finished' | 'recovered' | 'failed';

export interface SessionEnd {
  readonly dateEnd: Date;
  readonly reason: ErrorCode | 'interrupted';
  /** Whether a shell was ever open. */
  readonly success: boolean;
  readonly replayState: ReplayState;
}

/** One command, ready to be written to the log. */
export interface CommandRecord {
  readonly sequence: number;
  /** At most 4096 characters. */
  readonly input: string;
  /** The beginning, at most 1024 characters of plain text. */
  readonly output: string;
  /** Milliseconds since the session began. */
  readonly at: number;
}

/** The session rows. */
export interface SessionStore {
  create(session: NewSession): Promise<void>;
  setReplay(id: string, state: ReplayState): Promise<void>;
  addCommands(id: string, commands: readonly CommandRecord[]): Promise<void>;
  finish(id: string, end: SessionEnd): Promise<void>;
  /** Rows that a crash left open; asked once at the start, before anybody connects. */
  unfinished(): Promise<readonly { readonly id: string; readonly dateStart: Date }[]>;
}

/** The part of a logger that the gateway uses; pino's fits. Nothing that is typed, shown or secret is ever passed. */
export interface GatewayLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
