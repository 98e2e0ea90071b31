import type { DatabaseType, ErrorCode, Language, ProtocolName, SessionKind } from '@sallyport/contract';
import type { WebSocket } from 'ws';
import type { AddressPolicy } from '../platform/address-policy.ts';
import type { RecordingDigest } from '../platform/storage/recordings.ts';

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
  /** Whether this server accepts new sessions; without it, it does. */
  readonly isAccepting?: () => boolean;
  /** Invitations into live sessions; without it, nobody is let in. */
  readonly invitations?: Invitations;
  /** Proves second factors; without one, what needs a fresh one is refused. */
  readonly factors?: FreshFactors;
  /** Decides on typed lines; without one, nothing is held back. */
  readonly guard?: Guard;
  /** What the person of a session ran before with its database and account; without it, nothing. */
  readonly pastStatements?: (session: NewSession, search: string) => Promise<readonly PastStatement[]>;
  readonly log: GatewayLog;
}

/** A statement of an earlier session. */
export interface PastStatement {
  readonly text: string;
  readonly date: Date;
  readonly isDenied: boolean;
  readonly isFailed: boolean;
}

/** The user of a connection; already authenticated. */
export interface Person {
  readonly userId: string;
  /** As it is stored in session rows: `Name(username)`. */
  readonly display: string;
  readonly language: Language;
  readonly remoteAddr: string | null;
  /** `WT` from the web terminal, `ST` from an SSH client, `DT` from a client of a database. */
  readonly loginFrom: 'WT' | 'ST' | 'DT';
  /** The sign-in that this connection hangs on; `Hub.signOut` ends what belongs to it. */
  readonly loginId?: string;
}

/** What a session can lead to. */
export type TargetKind = 'asset' | 'database_app' | 'remote_app';

/** Refuses unless the person may connect at this moment. */
export interface Access {
  /** `targetId` names an asset unless `kind` says otherwise. @throws Refusal */
  check(userId: string, targetId: string, systemUserId: string, kind?: TargetKind): Promise<Grant>;
  /** Whether the sign-in, or the access key, that something was opened with still is one. */
  isSignedIn(loginId: string): Promise<boolean>;
  /** Whether a viewer may still watch sessions of an organization. */
  mayWatch(viewer: Viewer): Promise<boolean>;
}

/** A user who watches a session. */
export interface Viewer {
  readonly userId: string;
  readonly loginId: string;
  readonly organizationId: string;
  readonly remoteAddr: string | null;
  readonly language: Language;
  /** The viewer's terminal has to be drawn again after its size has changed: a window of the viewer's own, not a screen of our pages. */
  readonly redraws?: boolean;
}

/** What an invitation allows at this moment. */
export interface Invited {
  readonly session: string;
  readonly mayType: boolean;
  /** Null when it lasts as long as the session. */
  readonly validUntil: Date | null;
}

/** Invitations into live sessions. */
export interface Invitations {
  /** An invitation as it counts now for the guest who has accepted it. @throws Refusal when it does not */
  find(invitation: string, userId: string): Promise<Invited>;
  /** The guest is in, or was taken for gone. */
  joined(invitation: string, remoteAddr: string | null): Promise<void>;
  left(invitation: string): Promise<void>;
  /** The visit was ended, not by the guest: the invitation ends with it. */
  end(invitation: string, reason: ErrorCode): Promise<void>;
  /** A session is over, and with it what was left of its invitations. */
  sessionEnded(session: string): Promise<void>;
}

/** Somebody who comes with an invitation that is theirs. */
export interface Visit {
  readonly invitation: string;
  readonly person: Person & { readonly loginId: string };
  /** As of a viewer. */
  readonly redraws?: boolean;
}

/** What is known of a database besides its address. */
export interface DatabaseTarget {
  readonly type: DatabaseType;
  /** The one that is open at first; of Redis its number. */
  readonly name: string | null;
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
export function targetOf({ asset, database, remoteApp }: Pick<Grant, 'asset' | 'database' | 'remoteApp'>): {
  readonly kind: TargetKind;
  readonly id: string;
  readonly name: string;
} {
  if (remoteApp) return { kind: 'remote_app', id: remoteApp.id, name: remoteApp.name };
  return { kind: database ? 'database_app' : 'asset', id: asset.id, name: asset.hostname };
}

/** Second factors that a permission asks for. */
export interface FreshFactors {
  /** Whether one was proved in a sign-in within so many minutes. */
  isRecent(loginId: string, minutes: number): Promise<boolean>;
  /** Whether the person has codes to type. */
  canType(userId: string): Promise<boolean>;
  /** Proves one by a code; throws an error with a code when it is wrong. */
  prove(typed: { readonly userId: string; readonly loginId: string; readonly code: string; readonly remoteAddress: string }): Promise<void>;
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

/** The choices of the setting of platforms. It is TLS with all of them; without network level authentication for `rdp` and `tls`, and never without it for `nla`. */
export type RdpSecurity = 'rdp' | 'nla' | 'tls' | 'any';

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

/** The row of a session, written before its first byte. */
export interface NewSession {
  readonly id: string;
  /** What people do in it; a terminal where it is absent. */
  readonly kind?: SessionKind;
  readonly person: Person;
  readonly grant: Grant;
  /** The account at the target; differs from the system user's when the person typed one. */
  readonly account: string;
  /** Whether it needed a fresh second factor, and how there was one. */
  readonly secondFactor?: 'none' | 'recent' | 'asked' | undefined;
  readonly dateStart: Date;
}

export type ReplayState = 'none' | 'recording' | 'finished' | 'recovered' | 'failed';

export interface SessionEnd {
  readonly dateEnd: Date;
  readonly reason: ErrorCode | 'interrupted';
  /** Whether a shell was ever open. */
  readonly success: boolean;
  readonly replayState: ReplayState;
  /** Of the finished recording; absent when there is none. */
  readonly recording?: RecordingDigest | undefined;
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
  /** The target never got it: the guard refused it, and the output says why. */
  readonly isRefused?: boolean;
  /** Of a statement: the rows that it answered or changed, the milliseconds that it took at the database, and the error that it ended with. */
  readonly rows?: number;
  readonly milliseconds?: number;
  readonly error?: string;
  /** Who typed it, where guests of the session did; absent for the person of the session alone. */
  readonly typedBy?: string;
}

/** A while in which nobody was at the near end of a session. */
export interface Gap {
  readonly from: Date;
  readonly to: Date;
  /** Where the person came back from. */
  readonly remoteAddr: string | null;
}

/** The session rows. */
export interface SessionStore {
  create(session: NewSession): Promise<void>;
  /** The recording has begun; `takesGuests` where people work in a terminal, which others may be invited into. */
  begun(id: string, takesGuests: boolean): Promise<void>;
  /** What became of a recording; with the digest of one that was finished after its session had ended. */
  setReplay(id: string, state: ReplayState, recording?: RecordingDigest): Promise<void>;
  addCommands(id: string, commands: readonly CommandRecord[]): Promise<void>;
  addGap(id: string, gap: Gap): Promise<void>;
  /** The outdated SSH algorithms that its connection uses, before anything is opened in it. */
  setOldAlgorithms(id: string, names: readonly string[]): Promise<void>;
  finish(id: string, end: SessionEnd): Promise<void>;
  /** Rows that a crash left open; asked once at the start, before anybody connects. */
  unfinished(): Promise<readonly { readonly id: string; readonly dateStart: Date }[]>;
  /** How many sessions of a user are open on other servers. */
  openElsewhere(userId: string): Promise<number>;
  /** Which of these sessions have ended according to their rows. */
  ended(ids: readonly string[]): Promise<readonly string[]>;
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

/** What was done with files. */
export type FileOperation = 'upload' | 'download' | 'delete' | 'rename' | 'mkdir' | 'rmdir' | 'chmod' | 'symlink' | 'copy';

/** One entry of the file-transfer log. */
export interface FileRecord {
  readonly operation: FileOperation;
  /** For people: control characters and bytes that are no text are escaped. Of a rename, a copy and a link both paths, with `=>` between. */
  readonly path: string;
  /** Bytes that were transferred. */
  readonly size?: number | undefined;
  /** Of the content that was transferred, lowercase hex; absent where it did not pass in one piece. */
  readonly sha256?: string | undefined;
  /** Why it was not done, or not whole. */
  readonly reason?: ErrorCode | undefined;
}

/** The file-transfer log. */
export interface FileLog {
  write(session: NewSession, record: FileRecord): Promise<void>;
}

/** What a guard knows about a line. */
export interface LineContext {
  readonly session: NewSession;
  /** Whether the screen did not show what was typed: a password, or a person who has switched the echo off. */
  readonly isHidden: boolean;
  /** Whether the target has not shown what it made of the last keys, such as one that recalls a line: Enter may send something else. */
  readonly isUnread: boolean;
  /** What stood in front of the line. */
  readonly prompt: string;
}

/** What a guard decides. Messages are in the language of the session's person. */
export type Verdict =
  | { readonly kind: 'allow' }
  /** The target never gets the line; the person sees the message. */
  | { readonly kind: 'deny'; readonly message: string }
  /** The person sees the message and confirms with `y`; any other key refuses, and so does no answer within the seconds, a minute without them. */
  | { readonly kind: 'ask'; readonly message: string; readonly seconds?: number };

/** One statement as a guard looks at it. */
export interface SpelledStatement {
  /** It without comments and in one line, as it was typed and in one case: all of these mean the same, so what allows one of them allows it. */
  readonly lines: readonly string[];
  /** What it could mean besides, for instance without the quotes of names: what denies one of them denies it. */
  readonly spellings: readonly string[];
}

/**
 * Decides on each line that a person types at a prompt, before the target gets its Enter. It checks what people type and is no sandbox: what a script
 * or a program runs by itself does not pass here, and full-screen programs get their keys unchecked.
 */
export interface Guard {
  /** Whether lines of the session have to be decided at all, at this moment; where not, keys pass without delay. */
  applies(session: NewSession): boolean;
  /** Decides on a line before its Enter. A text of several lines is allowed when each of them is. */
  before(line: string, context: LineContext): Verdict | Promise<Verdict>;
  /** Decides on one statement of a database language, before the database gets it. */
  beforeStatement(statement: SpelledStatement, session: NewSession): Promise<Verdict>;
  /** Decides on an exec request as a whole, before it starts: the command to be run, or the reason why none is. A caller records the refused one as such. */
  beforeExec(command: string, session: NewSession): Promise<ExecVerdict>;
}

/** What a guard decides on an exec request. Only `command` may be run, which need not be written as it was requested. */
export type ExecVerdict = { readonly kind: 'allow'; readonly command: string } | { readonly kind: 'deny'; readonly message: string };

/** The part of a logger that the gateway uses; pino's fits. Nothing that is typed, shown or secret is ever passed. */
export interface GatewayLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}
