import type {
  ClipboardRights,
  ConnectStage,
  DesktopColors,
  DesktopFacts,
  ErrorCode,
  FileRights,
  KeyboardLayout,
  ProtocolName,
  RecordedKey,
  SessionKind,
} from '@sallyport/contract';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import type { Attributes } from '../../platform/ssh/sftp/packets.ts';
import type { Pieces } from '../../platform/ssh/sftp/pieces.ts';
import type { DatabaseTarget } from '../ports/grant.ts';
import type { Hop, HostKeys } from '../ports.ts';
import type { DatabaseDriver } from './drivers/driver.ts';

/** The route to a target, not opened yet. */
export interface Route {
  /** In the order in which they are passed; empty when the target is reached directly. */
  readonly gateways: readonly Hop[];
  readonly target: Hop;
  /** Of a database: what is known of it besides its address. */
  readonly database?: DatabaseTarget;
  readonly hostKeys: HostKeys;
  readonly addresses: AddressPolicy;
  /** How long each step may take. */
  readonly timeoutMs: number;
  /** Recognizes a successful sign-in in a target's output, where a protocol has no other way to tell; the connector's own signs unless given. */
  readonly isSignedIn?: ((output: string) => boolean) | undefined;
  readonly onStage: (stage: ConnectStage, host: string) => void;
  /** The target is spoken to with these outdated algorithms; may be called again with more of them, before it is connected. */
  readonly onOutdated?: (algorithms: readonly string[]) => void;
}

/** Speaks one protocol to targets. */
export interface Connector {
  readonly protocol: ProtocolName;
  /** The kinds of session that its connections can open. */
  readonly sessionKinds: readonly SessionKind[];
  /** Opens the route and authenticates at the target; leaves nothing open when that fails. */
  connect(route: Route, signal: AbortSignal): Promise<Connection>;
}

/** An authenticated connection to a target. What it can open depends on its protocol. */
export interface Connection {
  /** Opens a shell, or runs a command in a terminal, where the protocol has terminals. */
  openShell?(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  /** Runs a command in a terminal, where the protocol can; the connection stays open behind it, for the next one. */
  openCommand?(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  /** Runs a command without a terminal, where the protocol can. */
  openExec?(request: ExecRequest, events: ExecEvents): Promise<TargetExec>;
  /** Opens the files of the account, where the protocol can. */
  openFiles?(onEnd: (how: TargetEnd) => void): Promise<TargetFiles>;
  /** Opens the database, where the protocol is one of databases. */
  openDatabase?(onEnd: (how: TargetEnd) => void): Promise<DatabaseDriver>;
  /** Connects to a port from the target, where the protocol can. */
  openForward?(
    address: { readonly host: string; readonly port: number },
    events: ForwardEvents,
  ): Promise<TargetForward>;
  /** Opens the desktop, where the protocol has one. */
  openDesktop?(request: DesktopRequest, events: DesktopEvents): Promise<TargetDesktop>;
  /** Ends the connection and everything that was opened to reach the target. */
  close(): void;
}

/** An entry of a folder at a target. */
export interface FolderEntry {
  readonly name: Buffer;
  /** A line like that of `ls -l`, at most 256 bytes of it. */
  readonly longName: string;
  readonly attributes: Attributes;
}

/**
 * The files of an account at a target, without any boundary. Paths are bytes as the target has them. Any number of requests may be under way; each refuses
 * with a `TargetFileError`.
 */
export interface TargetFiles {
  /** The most bytes that one read and one write carry. */
  readonly readLength: number;
  readonly writeLength: number;
  /** Whether a file can take the place of another one in one step. */
  readonly canReplace: boolean;
  /** Whether the target copies from one open file to another by itself. */
  readonly canCopy: boolean;
  realPath(path: Buffer): Promise<Buffer>;
  readLink(path: Buffer): Promise<Buffer>;
  attributesOf(path: Buffer, isFollowed: boolean): Promise<Attributes>;
  attributesOfOpen(handle: Buffer): Promise<Attributes>;
  /** `create`: a file that must not be there yet, nor a link; `change`: one that is there. */
  open(path: Buffer, how: 'read' | 'create' | 'change', mode?: number): Promise<Buffer>;
  closeHandle(handle: Buffer): Promise<void>;
  /** Up to `length` bytes; none behind the end. */
  read(handle: Buffer, offset: number, length: number): Promise<Buffer>;
  /** The same in the pieces in which it came. */
  readPieces(handle: Buffer, offset: number, length: number): Promise<Pieces>;
  write(handle: Buffer, offset: number, chunk: Buffer): Promise<void>;
  openFolder(path: Buffer): Promise<Buffer>;
  /** Some entries; `undefined` behind the last. */
  readFolder(handle: Buffer): Promise<FolderEntry[] | undefined>;
  setAttributes(path: Buffer, attributes: Attributes): Promise<void>;
  setAttributesOfOpen(handle: Buffer, attributes: Attributes): Promise<void>;
  remove(path: Buffer): Promise<void>;
  makeFolder(path: Buffer, mode: number | undefined): Promise<void>;
  removeFolder(path: Buffer): Promise<void>;
  /** Refuses where `to` is taken. */
  rename(from: Buffer, to: Buffer): Promise<void>;
  /** Takes the place of `to` in one step; only with `canReplace`. */
  replace(from: Buffer, to: Buffer): Promise<void>;
  makeLink(path: Buffer, target: Buffer): Promise<void>;
  /** Numbers about the file system at a path, as `statvfs@openssh.com` answers them. Undefined where the target does not know it. */
  volumeOf(path: Buffer): Promise<Buffer | undefined>;
  /** Has the target write an open file to its disk. False where it does not know how. */
  flush(handle: Buffer): Promise<boolean>;
  /** All of one open file into another; only with `canCopy`. */
  copyData(from: Buffer, to: Buffer): Promise<void>;
  /** Ends everything that was opened to reach the target. */
  close(): void;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** The terminal of a shell. */
export interface ShellRequest extends TerminalSize {
  /** The kind of terminal; xterm with 256 colors unless given. */
  readonly term?: string;
  /** The modes of the client's terminal, by their names in RFC 4254, section 8. */
  readonly modes?: Readonly<Record<string, number>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** What runs in place of the account's shell. */
  readonly command?: string | undefined;
}

/** A command that runs without a terminal. */
export interface ExecRequest {
  /** Absent: the account's shell, which reads from the input. */
  readonly command: string | undefined;
  /** The connection stays open behind it, for the next one. */
  readonly keepsConnection?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

/** How a program at a target ended: its status, or the signal that ended it, without `SIG`. */
export type TargetExit = { readonly code: number } | { readonly signal: string };

/** An open shell at a target. Bytes are in the charset of the target. */
export interface TargetShell {
  /** Takes what the person typed. */
  write(chunk: Buffer): void;
  /** Bytes that were taken and that the target has not read yet. */
  readonly waiting: number;
  resize(cols: number, rows: number): void;
  /** Sends a signal, by its name without `SIG`. */
  signal?(name: string): void;
  /** No more is typed. */
  finishInput?(): void;
  /** Stops reading from the target; it notices and waits. */
  pause(): void;
  resume(): void;
  /** Ends the shell and everything that was opened to reach it. Harmless when it has ended already. */
  close(): void;
}

/** How a target ended: by itself, by a broken connection, or because it sent more than it may. */
export type TargetEnd = 'closed' | 'lost' | 'flooded';

/** What a target reports. */
export interface TargetEvents {
  onData(chunk: Buffer): void;
  /** At most once, before the end. */
  onExit?(exit: TargetExit): void;
  /** Once, at the end. */
  onEnd(how: TargetEnd): void;
}

/** A command that runs at a target. */
export interface TargetExec {
  /** Takes input; false when no more should come until `onDrain`. */
  write(chunk: Buffer): boolean;
  /** No more input comes. */
  finishInput(): void;
  signal(name: string): void;
  pause(): void;
  resume(): void;
  /** Ends the command's connection and everything that was opened to reach the target. */
  close(): void;
}

/** What a command's target reports. */
export interface ExecEvents {
  onOutput(chunk: Buffer, isError: boolean): void;
  onDrain(): void;
  onExit(exit: TargetExit): void;
  /** Once, at the end. */
  onEnd(how: TargetEnd): void;
}

/** A connection from a target to one of its ports. */
export interface TargetForward {
  /** Takes bytes; false when no more should come until `onDrain`. */
  write(chunk: Buffer): boolean;
  /** No more bytes come. */
  finishInput(): void;
  pause(): void;
  resume(): void;
  /** Ends it, and everything that was opened to reach the target. */
  close(): void;
}

/** What such a connection reports. */
export interface ForwardEvents {
  onData(chunk: Buffer): void;
  onDrain(): void;
  /** The port sends no more, and may still read. */
  onDataEnd(): void;
  /** Once, at the end. */
  onEnd(how: TargetEnd): void;
}

/** What a person wants of a desktop. */
export interface DesktopWish {
  /** The size of the window, in pixels; a desktop may have a size of its own. */
  readonly width: number;
  readonly height: number;
  /** The layout of the keyboard, where the protocol announces one; the server's own when absent. */
  readonly keyboard?: KeyboardLayout;
  /** Bits of a pixel, where they are agreed on; all colors when absent. */
  readonly colors?: DesktopColors;
}

/** A desktop as somebody wants to see it. */
export interface DesktopRequest extends DesktopWish {
  /** What the desktop is called for the page. */
  readonly name: string;
  readonly clipboard: ClipboardRights;
  readonly files: FileRights;
  /** What runs in place of the desktop, and the folder in which it begins; the desktop when absent. */
  readonly program?: string;
  readonly folder?: string;
}

/** What may pass between a desktop and its person. */
export type DesktopRights = Pick<DesktopRequest, 'clipboard' | 'files'>;

/** A file on its way between a desktop and its person. */
export interface DesktopFile {
  /** Bytes of it have passed. */
  add(bytes: number): void;
  /** It is over: whole, or why not. The digest is that of all its bytes, where they passed in their order. */
  end(reason?: ErrorCode, sha256?: string): void;
}

/** An open desktop at a target. Frames are bytes of its protocol behind the handshake; no secret is in any of them. */
export interface TargetDesktop {
  /** What a page needs before the first frame; the size follows the desktop. */
  readonly facts: DesktopFacts;
  /** Takes bytes of the person's page, which may cut messages anywhere. */
  write(bytes: Buffer): void;
  /** Bytes that were taken and that the target has not read yet. */
  readonly waiting: number;
  /** Other texts may pass from now on, and other files where the protocol has them. */
  setRights(rights: DesktopRights): void;
  /** Shows the desktop to somebody else, who sends nothing: first all of the picture, then what changes. */
  watch(onShow: DesktopView): DesktopWatch;
  /** Stops reading from the target; it notices and waits. */
  pause(): void;
  resume(): void;
  /** Ends the desktop's connection and everything that was opened to reach it. Harmless when it has ended already. */
  close(): void;
}

/** Takes bytes for one who watches; `isStart` where they begin with a whole message, before which any number may have been left out. */
export type DesktopView = (bytes: Buffer, isStart: boolean) => void;

/** Somebody who watches. */
export interface DesktopWatch {
  /** Sends all of the picture once more, for one who left something out. */
  refresh(): void;
  stop(): void;
}

/** What an open desktop reports. */
export interface DesktopEvents {
  /** Bytes for the person's page. */
  onShow(bytes: Buffer): void;
  /** Bytes of the picture for the recording, which shows the same without what a picture does not need; `isWhole` where they end with a whole message. */
  onPicture(bytes: Buffer, isWhole: boolean): void;
  /** The person did something; where the pointer is, if it was that. */
  onInput(pointer?: DesktopPointer): void;
  /** The person pressed a key or let it go. */
  onKey(key: RecordedKey): void;
  /** Files pass in these directions from now on: both sides can, and the rights allow it. */
  onFiles(rights: FileRights): void;
  /** The other side begins to read a file. `name` is as its owner announced it, `/` between its folders. */
  onFile(operation: 'upload' | 'download', name: string): DesktopFile;
  /** Nothing of a file that was asked for passes, and why. */
  onFileRefused(operation: 'upload' | 'download', name: string, reason: ErrorCode): void;
  /** The target has read what waited. */
  onDrain(): void;
  /** Once, at the end; `detail` says for the log what was wrong with what one side sent. */
  onEnd(how: TargetEnd | DesktopProblem, detail?: string): void;
}

/** Where the pointer is, in pixels of the desktop, and which of its buttons are pressed, a bit for each. */
export interface DesktopPointer {
  readonly x: number;
  readonly y: number;
  readonly buttons: number;
}

/** Why a desktop ended that neither side meant to end. */
export type DesktopProblem = Extract<ErrorCode, 'desktop_unknown_data' | 'desktop_wrong_input'>;
