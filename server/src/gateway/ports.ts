import type { WebSocket } from 'ws';
import type { AddressPolicy } from '../platform/address-policy.ts';
import type { Grant, RdpSecurity, TargetKind } from './ports/grant.ts';
import type { Guard } from './ports/guard.ts';
import type { FreshFactors, Invitations, Person, Viewer, Visit } from './ports/people.ts';
import type { FileLog, NewSession, PastStatement, SessionStore } from './ports/records.ts';

/**
 * What the gateway needs from the rest of the product. The gateway imports no feature; the program that starts it brings implementations
 * of these interfaces. Every method may refuse by throwing a `Refusal`; anything else that is thrown is reported as an internal error.
 */
export interface GatewayPorts {
  readonly sessions: SessionStore;
  /** Finds sessions of the other servers; without it there are none. */
  readonly elsewhere?: Elsewhere;
  readonly fileLog: FileLog;
  readonly access: Access;
  readonly credentials: Credentials;
  readonly route: Routes;
  readonly hostKeys: HostKeys;
  readonly addresses: AddressPolicy;
  readonly limits: Limits;
  /** Recognizes a successful sign-in in the output of a telnet target; `undefined` leaves it to the usual signs. */
  readonly isSignedIn?: () => ((output: string) => boolean) | undefined;
  readonly disk: Disk;
  /** Whether the database answers, within a few seconds; without it, it is taken to. */
  readonly databaseAnswers?: () => Promise<boolean>;
  /** Whether this server accepts new sessions; without it, it does. */
  readonly isAccepting?: () => boolean;
  /** Invitations into live sessions; without it, nobody is let in. */
  readonly invitations?: Invitations;
  /** Proves second factors; without one, what needs a fresh one is refused. */
  readonly factors?: FreshFactors;
  /** Decides on typed lines; without one, nothing is held back. */
  readonly guard?: Guard;
  /** What the person of a session ran before with its database and account; without it, nothing. */
  readonly pastStatements?: (
    session: NewSession,
    search: string,
  ) => Promise<readonly PastStatement[]>;
  readonly log: GatewayLog;
}

/** Refuses unless the person may connect at this moment. */
export interface Access {
  /** `targetId` names an asset unless `kind` says otherwise. @throws Refusal */
  check(userId: string, targetId: string, systemUserId: string, kind?: TargetKind): Promise<Grant>;
  /** Whether the sign-in, or the access key, that something was opened with still is one. */
  isSignedIn(loginId: string): Promise<boolean>;
  /** Whether a viewer may still watch sessions of an organization. */
  mayWatch(viewer: Viewer): Promise<boolean>;
}

/** The account that opens a target or a hop. Lives in memory only, and only while a connection is made. */
export interface Login {
  readonly username: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly passphrase?: string;
  /** The target asks for no password, and its account says so. */
  readonly isOpen?: boolean;
}

/** The vault. Asked at the moment of connecting and never before. */
export interface Credentials {
  /** The secret for a username on an asset, whose own one counts before that of the system user; `undefined` when nothing is stored: the person is asked then. */
  open(systemUserId: string, assetId: string, username: string): Promise<Login | undefined>;
}

/** One SSH server on the route, with the account that opens it. */
export interface Hop {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly login: Login;
  /** Outdated algorithms may be used where the server knows nothing better. */
  readonly allowsOldSsh?: boolean;
  /** Of a target over RDP: how it is protected. */
  readonly rdpSecurity?: RdpSecurity | undefined;
  /** Of a target over RDP: its console (session 0), as `mstsc /admin` asks for. */
  readonly rdpConsole?: boolean | undefined;
  /** Of a gateway: others that lead to the same place. The next is tried where one cannot be opened. */
  readonly others?: readonly Hop[];
  /** Of a gateway: it could not be opened. */
  readonly onFailed?: () => void;
}

/** Finds the route to a target. */
export interface Routes {
  /** In the order in which they are passed; empty when the target is reached directly. It is an asset unless `kind` says otherwise. */
  gateways(targetId: string, kind?: TargetKind): Promise<readonly Hop[]>;
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
  /** Whether the owner has a pinned key of that very type, here or where it was before it moved. */
  isPinned(asked: Pick<OfferedKey, 'kind' | 'ownerId' | 'keyType'>): Promise<boolean>;
}

/** The disk that recordings are written to. */
export interface Disk {
  /** A folder for files that live as long as this process at most; that of the system unless given. */
  readonly folder?: string;
  freeBytes(): Promise<number>;
}

/** How long things may take. Read at the start of each connection; `Hub.setLimits` takes changes. */
export interface Limits {
  read(): Promise<LimitValues>;
}

export interface LimitValues {
  /** Minutes without input and output. */
  readonly idleMinutes: number;
  readonly maximumHours: number;
  readonly connectSeconds: number;
  readonly sessionsPerPerson: number;
  /** How long a web terminal outlives its connection to the browser. */
  readonly keepSeconds: number;
  /** How long a session continues while its permission cannot be checked; 0 ends it at once. */
  readonly outageSeconds: number;
  /** Bytes of one recording before it is compressed, and how many a second it may grow by in the long run. */
  readonly recordingBytes: number;
  readonly recordingBytesPerSecond: number;
  /** Bytes of a recording that come at full speed before its rate is limited. */
  readonly recordingBurstBytes: number;
  /** Free bytes on the disk of the recordings below which sessions end. */
  readonly diskReserveBytes: number;
  /** Whether recordings of desktops have the keys. */
  readonly recordsKeys: boolean;
}

/** The sessions of other servers. */
export interface Elsewhere {
  /**
   * Opens a socket to the server that has a session: to watch it, to go on in its terminal, or to be a guest in it. Undefined when no other server that lives has it.
   * That server trusts what it is given about the person.
   */
  connect(kind: 'watch', session: string, viewer: Viewer): Promise<WebSocket | undefined>;
  connect(kind: 'terminal', session: string, person: Person): Promise<WebSocket | undefined>;
  connect(kind: 'guest', session: string, visit: Visit): Promise<WebSocket | undefined>;
}

/** The part of a logger that the gateway uses; pino's fits. Nothing that is typed, shown or secret is ever passed. */
export interface GatewayLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
