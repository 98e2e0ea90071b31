import type { Duplex } from 'node:stream';
import type { SwitchMethod } from '@sallyport/contract';
import type { CertifiedKey } from '@sallyport/ssh';
import type { WebSocket } from 'ws';
import type { AddressPolicy } from '../platform/address-policy.ts';
import type { Approvals } from './ports/approvals.ts';
import type { Grant, RdpSecurity, TargetKind } from './ports/grant.ts';
import type { Guard } from './ports/guard.ts';
import type { Holds } from './ports/holds.ts';
import type { KeptUploads } from './ports/kept-uploads.ts';
import type { Arriving, FreshFactors, Invitations, Person, Viewer, Visit } from './ports/people.ts';
import type { PodTerminals } from './ports/pods.ts';
import type {
  FileLog,
  NewSession,
  PastStatement,
  SessionCertificate,
  SessionStore,
  UndoScripts,
} from './ports/records.ts';
import type { SecondPersons } from './ports/second-persons.ts';

/**
 * Interfaces that the gateway needs from the rest of the product. The gateway imports no feature;
 * its host program provides implementations. Any method may throw a `Refusal`; other errors are
 * reported as internal.
 */
export interface GatewayPorts {
  readonly sessions: SessionStore;
  /** Finds sessions of other servers; none if absent. */
  readonly elsewhere?: Elsewhere;
  readonly fileLog: FileLog;
  readonly access: Access;
  /** Reads openings at once; absent: one question after the other. */
  readonly openings?: Openings;
  readonly credentials: Credentials;
  readonly route: Routes;
  readonly hostKeys: HostKeys;
  readonly addresses: AddressPolicy;
  readonly limits: Limits;
  /** Detects a successful sign-in in telnet output; `undefined` uses the default patterns. */
  readonly isSignedIn?: () => ((output: string) => boolean) | undefined;
  readonly disk: Disk;
  /** Returns true if the database answers within a few seconds. Assumed true if absent. */
  readonly databaseAnswers?: () => Promise<boolean>;
  /** Returns true while too few files and sockets can be opened. Assumed false if absent. */
  readonly lacksDescriptors?: () => boolean;
  /** Returns true if this server accepts new sessions. Assumed true if absent. */
  readonly isAccepting?: () => boolean;
  /** Invitations into live sessions; guests are rejected if absent. */
  readonly invitations?: Invitations;
  /** Verifies second factors; grants that require one are rejected if absent. */
  readonly factors?: FreshFactors;
  /** Decides on typed lines; all are allowed if absent. */
  readonly guard?: Guard;
  /** Asks reviewers about held commands; they are denied if absent. */
  readonly holds?: Holds;
  /** Asks reviewers about connections; those that need an approval are rejected if absent. */
  readonly approvals?: Approvals;
  /** Finds the reviewers who watch; input that needs one waits for ever if absent. */
  readonly secondPersons?: SecondPersons;
  /** Earlier statements of the user with the same database and account; none if absent. */
  readonly pastStatements?: (
    session: NewSession,
    search: string,
  ) => Promise<readonly PastStatement[]>;
  /** Keeps undo scripts; none are kept if absent. */
  readonly undoScripts?: UndoScripts;
  /** Interrupted uploads; they are removed at once if absent. */
  readonly keptUploads?: KeptUploads;
  /** Prepares terminals at pods; they are refused if absent. */
  readonly pods?: PodTerminals;
  readonly log: GatewayLog;
}

/** Checks permissions at the time of the call. */
export interface Access {
  /**
   * `targetId` is an asset unless `kind` says otherwise. Conditions of permissions are judged by
   * the address and client of the person.
   * @throws Refusal
   */
  check(
    person: Arriving,
    targetId: string,
    systemUserId: string,
    kind?: TargetKind,
  ): Promise<Grant>;
  /** Returns true if the sign-in or access key is still valid. */
  isSignedIn(loginId: string): Promise<boolean>;
  /** Returns true if it is also admitted by its sign-in rules at the address of a connection. */
  isAdmitted(connection: Pick<Viewer, 'loginId' | 'remoteAddr'>): Promise<boolean>;
  /** Returns true if a viewer may still watch sessions of the organization. */
  mayWatch(viewer: Viewer): Promise<boolean>;
}

/** Reads all data of an opening in one statement, instead of one for each port. */
export interface Openings {
  /**
   * Checks sign-in and permission. Returns undefined for a kind of target that it cannot read.
   * @throws Refusal
   */
  read(
    person: Person,
    targetId: string,
    systemUserId: string,
    kind?: TargetKind,
  ): Promise<Opening | undefined>;
}

/** A grant with the account, route and pins for a connection now. */
export interface Opening {
  readonly grant: Grant;
  /** Opens the stored account; undefined if there is none: ask the user. */
  login(): Promise<Login | undefined>;
  /** Opens the gateways, see `Routes`. @throws Refusal */
  gateways(): Promise<readonly Hop[]>;
  /** Knows the pins of the target at the time of the check, for the first key exchange. */
  readonly hostKeys: HostKeys;
}

/** The account of a target or hop. Exists only in memory while connecting. */
export interface Login {
  readonly username: string;
  readonly password?: string;
  readonly privateKey?: string;
  readonly passphrase?: string;
  /** The target asks for no password. */
  readonly isOpen?: boolean;
  /**
   * Issues a certificate for one opening, instead of a stored secret. Without a session it is for
   * remote work. @throws Refusal
   */
  certify?(session: NewSession | undefined): Promise<IssuedCertificate>;
  /** The account to switch to after the sign-in. Absent otherwise. */
  readonly switchTo?: SwitchTarget;
}

/** An account of a target that is reached from the one that signs in. */
export interface SwitchTarget {
  readonly username: string;
  /** The account that signs in. */
  readonly from: string;
  readonly method: SwitchMethod;
  /** The password that the target asks for; undefined if it should ask for none. */
  readonly password: string | undefined;
}

/** A certificate that an authority signed for one opening, with its key. Exists only in memory. */
export interface IssuedCertificate extends CertifiedKey, SessionCertificate {}

/** The vault. Opened only at the time of connecting. */
export interface Credentials {
  /**
   * Returns the secret of a username on an asset. An asset's own secret precedes the system user's.
   * Returns `undefined` if none is stored: ask the user.
   */
  open(systemUserId: string, assetId: string, username: string): Promise<Login | undefined>;
}

/** One SSH server on the route and its account. */
export interface Hop {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly login: Login;
  /** Allows outdated algorithms if the server supports nothing better. */
  readonly allowsOldSsh?: boolean;
  /** RDP targets: the security mode. */
  readonly rdpSecurity?: RdpSecurity | undefined;
  /** RDP targets: connect to the console (session 0) like `mstsc /admin`. */
  readonly rdpConsole?: boolean | undefined;
  /** Gateways: alternatives for the same domain, tried in order if this one fails. */
  readonly others?: readonly Hop[];
  /** Gateways: called if it could not be opened. */
  readonly onFailed?: () => void;
  /** Gateways: the site reaches out to us, so nothing connects to its address. */
  readonly tunnel?: Tunnel;
}

/** The way into the network of a site. */
export interface Tunnel {
  /** Resolves if the site is connected to this bastion. @throws Refusal */
  find(): Promise<void>;
  /** Opens a stream to a host, whose name is resolved there. @throws Refusal */
  open(
    address: { readonly host: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<Duplex>;
}

export interface Routes {
  /**
   * Returns the gateways in order; empty for a direct connection. `targetId` is an asset unless
   * `kind` says otherwise.
   */
  gateways(targetId: string, kind?: TargetKind): Promise<readonly Hop[]>;
}

/** A host key that a server presented. */
export interface OfferedKey {
  readonly kind: 'asset' | 'gateway';
  /**
   * Id of the asset or gateway. Pins belong to one owner, so a hop's key cannot stand for a
   * target's.
   */
  readonly ownerId: string;
  readonly host: string;
  readonly port: number;
  /** For example `ssh-ed25519`. */
  readonly keyType: string;
  /** The key in SSH wire format. */
  readonly key: Buffer;
}

/** Pinned host keys. */
export interface HostKeys {
  /**
   * `pinned`: this exact key is pinned. `first-use`: no key was pinned; this one is now. `changed`:
   * another key of any type is pinned. The offered key is kept for review, the change is audited,
   * and the connection must be refused.
   */
  verify(offered: OfferedKey): Promise<'pinned' | 'first-use' | 'changed'>;
  /** Returns true if the owner has a pinned key of this type, at this or an earlier address. */
  isPinned(key: Pick<OfferedKey, 'kind' | 'ownerId' | 'keyType'>): Promise<boolean>;
}

/** The disk of the recordings. */
export interface Disk {
  /** Folder for temporary files; the system's by default. */
  readonly folder?: string;
  freeBytes(): Promise<number>;
  /** True while the disk of recordings does not answer. */
  isHanging?(): boolean;
}

/** Limits from settings. Read for each connection; `Hub.setLimits` applies changes. */
export interface Limits {
  read(): Promise<LimitValues>;
}

export interface LimitValues {
  /** Minutes without input and output. */
  readonly idleMinutes: number;
  readonly maximumHours: number;
  readonly connectSeconds: number;
  readonly sessionsPerPerson: number;
  /** Time for which a web terminal survives without its browser. */
  readonly keepSeconds: number;
  /** Grace period while the permission cannot be checked; 0 ends the session at once. */
  readonly outageSeconds: number;
  /** Maximum bytes of a recording before compression, and its long-term rate. */
  readonly recordingBytes: number;
  readonly recordingBytesPerSecond: number;
  /** Bytes at full speed before the rate is limited. */
  readonly recordingBurstBytes: number;
  /** Free disk bytes below which sessions end. */
  readonly diskReserveBytes: number;
  /** True if desktop recordings include keys. */
  readonly recordsKeys: boolean;
  /** Maximum bytes of the drive of a desktop session; 0: no drives. */
  readonly driveBytes: number;
  /** True if secrets are masked in recordings, for watchers and in the command log. */
  readonly masksSecrets: boolean;
}

export interface Elsewhere {
  /**
   * Opens a socket to the server with the session: to watch it, resume its terminal or visit it.
   * Returns undefined if no other live server has it. The server trusts the given user.
   */
  connect(kind: 'watch', session: string, viewer: Viewer): Promise<WebSocket | undefined>;
  connect(kind: 'terminal', session: string, person: Person): Promise<WebSocket | undefined>;
  connect(kind: 'guest', session: string, visit: Visit): Promise<WebSocket | undefined>;
}

/** The subset of pino that the gateway uses. Never log input, output or secrets. */
export interface GatewayLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
