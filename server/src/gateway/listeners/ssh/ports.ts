import type { Language } from '@sallyport/contract';

/** What the SSH listener needs besides the gateway's own ports. */
export interface SshPorts {
  readonly identity: HostIdentity;
  readonly signIns: SshSignIns;
  readonly targets: SshTargets;
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
  | { readonly step: 'new_password'; readonly ticket: string };

/** The sign-in state machine. Methods throw an error with a code when the sign-in cannot go on. */
export interface SshSignIns {
  /** Whether the key is that of the user's profile; nothing is proved or logged yet. */
  mayUseKey(username: string, key: Buffer): Promise<boolean>;
  withPassword(username: string, password: string, visitor: SshVisitor): Promise<SshStep>;
  /** The client has proved that it holds the private key. */
  withKey(username: string, key: Buffer, visitor: SshVisitor): Promise<SshStep>;
  prove(ticket: string, code: string, visitor: SshVisitor): Promise<SshStep>;
  renew(ticket: string, password: string, again: string, language: Language, visitor: SshVisitor): Promise<SshStep>;
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
  nodes(userId: string): Promise<readonly GrantedNode[]>;
}
