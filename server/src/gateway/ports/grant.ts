import type { DatabaseType, ProtocolName } from '@sallyport/contract';

/** What a session can lead to. */
export type TargetKind = 'asset' | 'database_app' | 'remote_app';

/** What is known of a database besides its address. */
export interface DatabaseTarget {
  readonly type: DatabaseType;
  /** The one that is open at first; of Redis its number. */
  readonly name: string | null;
  /** The account runs statements that affect every row without a question. */
  readonly isUnasked?: boolean;
  /** The account's workspaces start with autocommit off. */
  readonly startsTransactions?: boolean;
  /** Absent without TLS. With it the certificate is always checked. */
  readonly tls?: {
    /** The name that the certificate must have. */
    readonly serverName: string;
    /** In PEM; empty for the public authorities. */
    readonly authority: string;
  };
}

/** A program that people use in place of a server's desktop. All of it comes from its declaration, nothing from the person. */
export interface RemoteAppTarget {
  readonly id: string;
  readonly name: string;
  /** The command line, and the folder in which it begins. */
  readonly program: string;
  readonly folder: string;
}

/** An allowed connection, with the reason why it is allowed. */
export interface Grant {
  /** The program of a remote app: `asset` then is its server. */
  readonly remoteApp?: RemoteAppTarget;
  /** The target of a database: `asset` then has its id, its name and its address. Absent for assets. */
  readonly database?: DatabaseTarget;
  readonly asset: {
    readonly id: string;
    readonly hostname: string;
    readonly ip: string;
    readonly port: number;
    readonly orgId: string;
    readonly charset: 'utf8' | 'gbk';
    /** Its platform allows outdated SSH algorithms. */
    readonly allowsOldSsh?: boolean;
    /** How its platform wants RDP to be protected. */
    readonly rdpSecurity?: RdpSecurity | undefined;
    /** Its platform wants the console of the server. */
    readonly rdpConsole?: boolean | undefined;
  };
  readonly systemUser: {
    readonly id: string;
    readonly name: string;
    readonly username: string;
    readonly loginMode: 'auto' | 'manual';
    readonly protocol: ProtocolName;
    /** Where its files begin: `home`, `tmp`, or an absolute path. */
    readonly sftpRoot: string;
    /** In enforced mode: the patterns of the commands that may run, and nothing else can be opened. Absent otherwise. */
    readonly allowedCommands?: string;
    /** Its targets ask for no password. Absent otherwise. */
    readonly isOpen?: boolean;
  };
  readonly ruleIds: readonly string[];
  /** The bits of `ACTIONS` in the contract, of databases with `CHANGE_DATA`. */
  readonly actions: number;
  /** Minutes within which a second factor must have been proved; absent where none is asked for. */
  readonly factorMinutes?: number;
  /** When the last rule that allows this ends. */
  readonly validUntil: Date | null;
}

/** What a grant leads to, as people know it: the server, or the application. */
export function targetOf({
  asset,
  database,
  remoteApp,
}: Pick<Grant, 'asset' | 'database' | 'remoteApp'>): {
  readonly kind: TargetKind;
  readonly id: string;
  readonly name: string;
} {
  if (remoteApp) return { kind: 'remote_app', id: remoteApp.id, name: remoteApp.name };
  return { kind: database ? 'database_app' : 'asset', id: asset.id, name: asset.hostname };
}

/** The choices of the setting of platforms. It is TLS with all of them; without network level authentication for `rdp` and `tls`, and never without it for `nla`. */
export type RdpSecurity = 'rdp' | 'nla' | 'tls' | 'any';
