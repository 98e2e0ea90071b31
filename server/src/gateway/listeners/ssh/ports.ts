import type { DatabaseType, Language } from '@sallyport/contract';
import type { Person } from '../../ports/people.ts';

/** What the SSH listener needs besides the gateway's own ports. */
export interface SshPorts {
  readonly identity: HostIdentity;
  readonly signIns: SshSignIns;
  readonly targets: SshTargets;
  readonly databases: SshDatabases;
  readonly sharing: SshSharing;
  /** What is allowed at the moment; read for each connection. */
  readonly settings: () => SshSettings;
}

/** The private keys, in OpenSSH form, with which the bastion answers in the place of servers: its own Ed25519 host key, and that of its host CA. */
export interface HostIdentity {
  readonly key: string;
  readonly authority: string;
}

export interface SshSettings {
  readonly password: boolean;
  readonly publicKey: boolean;
  /** Whether clients that know nothing newer may use SHA-1 and CBC. */
  readonly oldAlgorithms: boolean;
  /** Rows on a page of the menu: a number, or `auto` for what fits, or `all`. */
  readonly pageSize: string;
}

/** Where a sign-in comes from. */
export interface SshVisitor {
  readonly remoteAddress: string;
  /** The name of the client program. */
  readonly software: string;
}

/** A user who has signed in. */
export interface SignedInUser {
  readonly loginId: string;
  readonly userId: string;
  readonly username: string;
  readonly display: string;
}

/** What a sign-in needs next. */
export type SshStep =
  | { readonly step: 'in'; readonly user: SignedInUser }
  /** A code; `canType` is false when the account has passkeys only, which a terminal cannot use. */
  | { readonly step: 'code'; readonly ticket: string; readonly canType: boolean }
  | { readonly step: 'new_password'; readonly ticket: string }
  /** The server that checks the password asks a question. */
  | { readonly step: 'challenge'; readonly ticket: string; readonly message: string }
  /** One of these reviewers has to agree. */
  | { readonly step: 'review'; readonly ticket: string; readonly reviewers: readonly string[] };

/** The sign-in state machine. Methods throw an error with a code when the sign-in cannot go on. */
export interface SshSignIns {
  /** Whether the key is that of the user's profile; nothing is proved or logged yet. */
  mayUseKey(username: string, key: Buffer): Promise<boolean>;
  withPassword(username: string, password: string, visitor: SshVisitor): Promise<SshStep>;
  /** The client has proved that it holds the private key. */
  withKey(username: string, key: Buffer, visitor: SshVisitor): Promise<SshStep>;
  prove(ticket: string, code: string, visitor: SshVisitor): Promise<SshStep>;
  /** The answer to a question, which takes one. */
  answer(ticket: string, answer: string, visitor: SshVisitor): Promise<SshStep>;
  renew(
    ticket: string,
    password: string,
    again: string,
    language: Language,
    visitor: SshVisitor,
  ): Promise<SshStep>;
  /** What became of a sign-in that waits for its reviewers: the same step while nobody has answered. */
  reviewed(ticket: string, visitor: SshVisitor): Promise<SshStep>;
  cancel(ticket: string): Promise<void>;
  /** The connection has ended, and its sign-in with it. */
  end(loginId: string): Promise<void>;
}

/** A server that a user may reach. */
export interface GrantedTarget {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly organization: string;
  readonly comment: string;
  /** Whether it has files that we can reach. */
  readonly hasFiles: boolean;
}

/** One page of servers. */
export interface TargetPage {
  readonly count: number;
  readonly results: readonly GrantedTarget[];
}

/** Which servers are listed. */
export interface TargetSearch {
  /** Words that must all be found; every server without any. */
  readonly words: string;
  /** The id of a node; with everything below it. */
  readonly node?: string | undefined;
  /** With `node`: only the servers on it, not those below. */
  readonly isDirect?: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** A node of the tree, with the number of granted servers on it and below. */
export interface GrantedNode {
  readonly id: string;
  /** Numbers of the path, with a colon between. */
  readonly key: string;
  readonly name: string;
  readonly count: number;
}

/** An account that a user may use on it. */
export interface GrantedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly priority: number;
  /** Whether it opens files. */
  readonly hasFiles: boolean;
}

/** A running terminal of one's own, on whichever server. */
export interface OwnTerminal {
  readonly id: string;
  readonly asset: string;
  readonly account: string;
  /** Since it began. */
  readonly minutes: number;
  /** Invitations that nobody uses at the moment. */
  readonly open: number;
  /** Who is in it. */
  readonly guests: readonly string[];
}

/** An invitation that a guest has accepted. */
export interface AcceptedVisit {
  readonly invitation: string;
  readonly session: string;
  readonly user: string;
  readonly asset: string;
}

/** Sessions of other people, and inviting people into one's own. Methods throw an error with a code where something is refused. */
export interface SshSharing {
  /** The organization of a live session of any server, and whether there is a terminal to see; undefined when there is none. */
  live(
    session: string,
  ): Promise<{ readonly organizationId: string; readonly hasTerminal: boolean } | undefined>;
  /** The running terminals of a person, the latest first. */
  own(person: Person): Promise<readonly OwnTerminal[]>;
  /** Makes an invitation for so many minutes, 0 until the session ends. Its secret is in this answer and nowhere else. */
  invite(
    person: Person,
    session: string,
    wanted: { readonly mayType: boolean; readonly minutes: number },
  ): Promise<{ readonly secret: string; readonly link: string }>;
  /** Ends all invitations into a session of the person with their visits, and returns how many there were. */
  end(person: Person, session: string): Promise<number>;
  /** Makes the invitation of a secret the person's own. */
  accept(person: Person, secret: string): Promise<AcceptedVisit>;
}

/** What users may reach, by name. */
export interface SshTargets {
  /** The granted servers that a name means: the one with this id, else those with this hostname, else those with this address. */
  named(userId: string, name: string): Promise<readonly GrantedTarget[]>;
  /** The accounts that open a terminal on a server, the highest priority first. */
  accounts(userId: string, assetId: string): Promise<readonly GrantedAccount[]>;
  /** The ports on which a server speaks SSH. */
  sshPorts(assetId: string): Promise<readonly number[]>;
  /** One page of the granted servers, in the order that the settings name. */
  search(userId: string, search: TargetSearch): Promise<TargetPage>;
  /** The granted nodes, by their keys. */
  nodes(userId: string, language: Language): Promise<readonly GrantedNode[]>;
}

/** A database that a user may use. */
export interface GrantedDatabase {
  readonly id: string;
  readonly name: string;
  readonly type: DatabaseType;
  readonly host: string;
  readonly database: string;
  readonly comment: string;
}

/** One page of databases. */
export interface DatabasePage {
  readonly count: number;
  readonly results: readonly GrantedDatabase[];
}

/** Which databases users may use. */
export interface SshDatabases {
  /** The granted databases that a name means: the one with this id, else those with this name. */
  named(userId: string, name: string): Promise<readonly GrantedDatabase[]>;
  /** The accounts that open it, the highest priority first. */
  accounts(userId: string, databaseId: string): Promise<readonly GrantedAccount[]>;
  /** One page by their names: those with all the words in name, host, database or comment. */
  search(
    userId: string,
    search: Pick<TargetSearch, 'words' | 'limit' | 'offset'>,
  ): Promise<DatabasePage>;
}
