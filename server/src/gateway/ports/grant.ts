import type {
  Charset,
  ClusterAction,
  ClusterVerb,
  DatabaseType,
  ProtocolName,
  SwitchMethod,
} from '@sallyport/contract';

/** The kinds of session targets. */
export type TargetKind = 'asset' | 'database_app' | 'remote_app' | 'cluster';

/** Properties of a database other than its address. */
export interface DatabaseTarget {
  readonly type: DatabaseType;
  /** The initial database; for Redis its number. */
  readonly name: string | null;
  /** Statements that affect every row run without confirmation. */
  readonly isUnasked?: boolean;
  /** Users see what an UPDATE or DELETE affects before it runs. */
  readonly previewsChanges?: boolean;
  /** Workspaces start with autocommit off. */
  readonly startsTransactions?: boolean;
  /** TLS settings; the certificate is always verified. Absent without TLS. */
  readonly tls?: {
    /** Host name in the certificate. */
    readonly serverName: string;
    /** Certificate authority in PEM; empty for public authorities. */
    readonly authority: string;
  };
}

/** The terms of one permission of a cluster. A request is allowed if one permission allows it. */
export interface ClusterRule {
  readonly user: string;
  readonly groups: readonly string[];
  readonly namespaces: readonly string[];
  readonly verbs: readonly ClusterVerb[];
  readonly actions: readonly ClusterAction[];
  /** Kinds that the bastion does not know, such as `certificates.cert-manager.io`. */
  readonly kinds: readonly string[];
}

/** Properties of a cluster other than its address. The certificate is always verified. */
export interface ClusterTarget {
  /** Name or address in the certificate. */
  readonly tlsName: string;
  /** Name of the account of the bastion, for messages. */
  readonly account: string;
  /** Certificate authority in PEM; empty for public authorities. */
  readonly authority: string;
  readonly rules: readonly ClusterRule[];
}

/**
 * A program that replaces the desktop. All values come from its declaration, none from the user.
 */
export interface RemoteAppTarget {
  readonly id: string;
  readonly name: string;
  /** Command line and working folder. */
  readonly program: string;
  readonly folder: string;
}

/** Expressions of prompts and messages in RE2 syntax, and the serial line; empty for none. */
export interface TelnetOptions {
  readonly username: string;
  readonly password: string;
  readonly success: string;
  readonly failure: string;
  readonly line: string;
}

/** An allowed connection and the permissions that allow it. */
export interface Grant {
  /** A remote app; `asset` is then its server. */
  readonly remoteApp?: RemoteAppTarget;
  /** A database; `asset` then has its id, name and address. Absent for assets. */
  readonly database?: DatabaseTarget;
  /** A cluster; `asset` then has its id, name and address. */
  readonly cluster?: ClusterTarget;
  readonly asset: {
    readonly id: string;
    readonly hostname: string;
    readonly ip: string;
    readonly port: number;
    readonly orgId: string;
    readonly charset: Charset;
    /** The platform allows outdated SSH algorithms. */
    readonly allowsOldSsh?: boolean;
    /** RDP security of the platform. */
    readonly rdpSecurity?: RdpSecurity | undefined;
    /** The platform requires the console of the server. */
    readonly rdpConsole?: boolean | undefined;
  };
  readonly systemUser: {
    readonly id: string;
    readonly name: string;
    readonly username: string;
    readonly loginMode: 'auto' | 'manual' | 'certificate';
    readonly protocol: ProtocolName;
    /** Root of file access: `home`, `tmp`, or an absolute path. */
    readonly sftpRoot: string;
    /**
     * Patterns of allowed commands in enforced mode, which allows nothing else. Absent otherwise.
     */
    readonly allowedCommands?: string;
    /** The targets ask for no password. Absent otherwise. */
    readonly isOpen?: boolean;
    /** Sessions sign in as another account and switch to this one. Absent otherwise. */
    readonly switchMethod?: SwitchMethod;
    readonly telnet?: TelnetOptions;
  };
  readonly ruleIds: readonly string[];
  /** Bits of `ACTIONS` in the contract; for databases also `CHANGE_DATA`. */
  readonly actions: number;
  /** Maximum age of the second factor in minutes; absent if none is required. */
  readonly factorMinutes?: number;
  /** Reviewers decide on the connection. Absent if no permission asks for it. */
  readonly approval?: {
    /** Minutes for which an approval is valid; 0: once. */
    readonly minutes: number;
    /** The permissions that ask. */
    readonly ruleIds: readonly string[];
  };
  /** Input passes only while a reviewer watches. Absent if no permission asks for it. */
  readonly secondPerson?: {
    /** The permissions that ask. */
    readonly ruleIds: readonly string[];
  };
  /** End of the last permission that allows this; null for never. */
  readonly validUntil: Date | null;
  /** End of access that its user opened at once, without an approval. Absent without such. */
  readonly instantUntil?: Date;
  /** Earlier time at which a condition may change what is allowed. Absent without conditions. */
  readonly changesAt?: Date;
}

/** Returns the server or application that the user connects to. */
export function targetOf({
  asset,
  database,
  cluster,
  remoteApp,
}: Pick<Grant, 'asset' | 'database' | 'cluster' | 'remoteApp'>): {
  readonly kind: TargetKind;
  readonly id: string;
  readonly name: string;
} {
  if (remoteApp) return { kind: 'remote_app', id: remoteApp.id, name: remoteApp.name };
  const kind = cluster ? 'cluster' : database ? 'database_app' : 'asset';
  return { kind, id: asset.id, name: asset.hostname };
}

/**
 * RDP security of a platform. All values use TLS; `rdp` and `tls` disable network level
 * authentication, `nla` requires it.
 */
export type RdpSecurity = 'rdp' | 'nla' | 'tls' | 'any';
