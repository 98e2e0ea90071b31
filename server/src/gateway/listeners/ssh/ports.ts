import type { DatabaseType, Language, LocalText, PasswordEnd } from '@sallyport/contract';
import type { Recordings } from '../../../platform/storage/recordings.ts';
import type { Gateway } from '../../gateway.ts';
import type { Hub } from '../../hub.ts';
import type { Person } from '../../ports/people.ts';
import type { GatewayPorts, Opening } from '../../ports.ts';
import type { SignedInSite, SiteConnection } from '../../sites/site-connection.ts';

/** Ports of the SSH listener in addition to the gateway's. */
export interface SshPorts {
  readonly identity: HostIdentity;
  readonly signIns: SshSignIns;
  readonly targets: SshTargets;
  readonly databases: SshDatabases;
  readonly sharing: SshSharing;
  readonly sites: SshSites;
  /** Current settings; read for each connection. */
  readonly settings: () => SshSettings;
}

/**
 * Private keys in OpenSSH format for answering in place of servers: the bastion's Ed25519 host key,
 * and the key of its host CA.
 */
export interface HostIdentity {
  readonly key: string;
  readonly authority: string;
}

/** Sites: machines of other networks. Each connects with its key, and is no user. */
export interface SshSites {
  /** Returns the active site with this key; undefined if there is none. Proves nothing. */
  find(id: string, key: Buffer): Promise<SignedInSite | undefined>;
  /**
   * Takes the tunnel of a site that has signed in. Returns what to call when it has closed, or
   * undefined if the site has too many.
   */
  take(tunnel: SiteConnection, visitor: SshVisitor): (() => void) | undefined;
}

export interface SshSettings {
  readonly password: boolean;
  readonly publicKey: boolean;
  /** Allows SHA-1 and CBC for old clients. */
  readonly oldAlgorithms: boolean;
  /** Rows per page of the menu: a number, `auto` (fits the terminal) or `all`. */
  readonly pageSize: string;
  /** Text before sign-in; empty: none. */
  readonly notice: string;
}

/** The origin of a sign-in. */
export interface SshVisitor {
  readonly remoteAddress: string;
  /** Name of the client program. */
  readonly software: string;
}

export interface SignedInUser {
  readonly loginId: string;
  readonly userId: string;
  readonly username: string;
  readonly display: string;
  /** End of the external password of this sign-in. */
  readonly passwordEnd?: PasswordEnd | undefined;
}

/** The next step of a sign-in. */
export type SshStep =
  | { readonly step: 'in'; readonly user: SignedInUser }
  /** A code. `canType` is false if the account has only passkeys, which a terminal cannot use. */
  | { readonly step: 'code'; readonly ticket: string; readonly canType: boolean }
  | { readonly step: 'new_password'; readonly ticket: string }
  /** A question of the server that checks the password. */
  | { readonly step: 'challenge'; readonly ticket: string; readonly message: string }
  /** A text that the user must accept. */
  | {
      readonly step: 'notice';
      readonly ticket: string;
      readonly text: string;
      readonly version: string;
    }
  /** A decision of one of these reviewers. */
  | { readonly step: 'review'; readonly ticket: string; readonly reviewers: readonly string[] };

/**
 * The sign-in state machine. Methods throw an error with a code when the sign-in cannot continue.
 */
export interface SshSignIns {
  /** Returns true if the key is in the user's profile. Proves and logs nothing. */
  mayUseKey(username: string, key: Buffer): Promise<boolean>;
  withPassword(username: string, password: string, visitor: SshVisitor): Promise<SshStep>;
  /** Called after the client has proved that it holds the private key. */
  withKey(username: string, key: Buffer, visitor: SshVisitor): Promise<SshStep>;
  prove(ticket: string, code: string, visitor: SshVisitor): Promise<SshStep>;
  /** Answers a question. Each question accepts one answer. */
  answer(ticket: string, answer: string, visitor: SshVisitor): Promise<SshStep>;
  renew(
    ticket: string,
    newPassword: { readonly password: string; readonly again: string; readonly language: Language },
    visitor: SshVisitor,
  ): Promise<SshStep>;
  /** Accepts the text before sign-in, by the version that the user has read. */
  accept(ticket: string, version: string, visitor: SshVisitor): Promise<SshStep>;
  /** Polls the review: returns the same step until a reviewer decides. */
  reviewed(ticket: string, visitor: SshVisitor): Promise<SshStep>;
  cancel(ticket: string): Promise<void>;
  /** Ends the sign-in of a closed connection, with those that close in the same moment. */
  end(loginId: string): Promise<void>;
  /** Ends closed sign-ins without waiting for others, now and later: the server stops. */
  hurryEnds(): void;
}

export interface GrantedTarget {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly organization: string;
  readonly comment: string;
  /** True if the server offers file access. */
  readonly hasFiles: boolean;
}

export interface TargetPage {
  readonly count: number;
  readonly results: readonly GrantedTarget[];
}

export interface TargetSearch {
  /** Words that must all match; empty for all servers. */
  readonly words: string;
  /** Id of a node, including nodes below it. */
  readonly node?: string | undefined;
  /** With `node`: only servers directly on it. */
  readonly isDirect?: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** A node of the tree, with the number of granted servers on and below it. */
export interface GrantedNode {
  readonly id: string;
  /** Numbers of the path, joined by colons. */
  readonly key: string;
  readonly name: string;
  readonly count: number;
}

/** An account that the user may use on a target. */
export interface GrantedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly priority: number;
  /** True if it offers file access. */
  readonly hasFiles: boolean;
  /** The hours or period that refuse the account now. */
  readonly notNow?: LocalText | null;
}

/** A running terminal of the user, on any server. */
export interface OwnTerminal {
  readonly id: string;
  readonly asset: string;
  readonly account: string;
  /** Minutes since it began. */
  readonly minutes: number;
  /** Number of unused invitations. */
  readonly open: number;
  /** Names of the present guests. */
  readonly guests: readonly string[];
}

export interface AcceptedVisit {
  readonly invitation: string;
  readonly session: string;
  readonly user: string;
  readonly asset: string;
}

/**
 * Sessions of other users, and invitations into the user's own. Methods throw an error with a code
 * when they reject.
 */
export interface SshSharing {
  /**
   * Returns organization and kind of a live session on any server; undefined if it does not exist.
   */
  live(
    session: string,
  ): Promise<{ readonly organizationId: string; readonly hasTerminal: boolean } | undefined>;
  /** Running terminals of the user, latest first. */
  own(person: Person): Promise<readonly OwnTerminal[]>;
  /**
   * Creates an invitation for a number of minutes; 0 lasts until the session ends. Only this answer
   * contains its secret.
   */
  invite(
    person: Person,
    session: string,
    options: { readonly mayType: boolean; readonly minutes: number },
  ): Promise<{ readonly secret: string; readonly link: string }>;
  /** Ends all invitations and visits of the user's session. Returns the number of invitations. */
  end(person: Person, session: string): Promise<number>;
  /** Accepts the invitation with this secret for the user. */
  accept(person: Person, secret: string): Promise<AcceptedVisit>;
}

/** The only server with a host name. */
export interface OnlyTarget {
  readonly id: string;
  readonly hostname: string;
  readonly accounts: readonly GrantedAccount[];
  /** Checks sign-in and permission of an account, as `only` read them. @throws Refusal */
  readonly open: (accountId: string) => Promise<Opening>;
}

/** Granted servers. */
export interface SshTargets {
  /**
   * Returns the server with a host name and its accounts, as `accounts`, in one query. Undefined
   * for another name, for several servers with the name, and without an account.
   */
  only(person: Person, name: string): Promise<OnlyTarget | undefined>;
  /** Returns the granted servers with a name: by id, else by hostname, else by address. */
  named(userId: string, name: string): Promise<readonly GrantedTarget[]>;
  /** Accounts that open a terminal on a server, highest priority first. */
  accounts(userId: string, assetId: string): Promise<readonly GrantedAccount[]>;
  /** SSH ports of a server. */
  sshPorts(assetId: string): Promise<readonly number[]>;
  /** Returns one page of the granted servers, in the order of the settings. */
  search(userId: string, search: TargetSearch): Promise<TargetPage>;
  /** Granted nodes, ordered by key. */
  nodes(userId: string, language: Language): Promise<readonly GrantedNode[]>;
}

export interface GrantedDatabase {
  readonly id: string;
  readonly name: string;
  readonly type: DatabaseType;
  readonly host: string;
  readonly database: string;
  readonly comment: string;
}

export interface DatabasePage {
  readonly count: number;
  readonly results: readonly GrantedDatabase[];
}

/** Granted databases. */
export interface SshDatabases {
  /** Returns the granted databases with a name: by id, else by name. */
  named(userId: string, name: string): Promise<readonly GrantedDatabase[]>;
  /** Accounts of a database, highest priority first. */
  accounts(userId: string, databaseId: string): Promise<readonly GrantedAccount[]>;
  /** Returns one page ordered by name, matching all words in name, host, database or comment. */
  search(
    userId: string,
    search: Pick<TargetSearch, 'words' | 'limit' | 'offset'>,
  ): Promise<DatabasePage>;
}

export interface SshContext {
  readonly ports: GatewayPorts;
  readonly ssh: SshPorts;
  readonly hub: Hub;
  /** Serves sessions of other users on any server. */
  readonly visits: Pick<Gateway, 'watch' | 'guest'>;
  readonly recordings: Recordings;
}
