import type {
  Charset,
  ConnectStage,
  ProtocolName,
  SerialLine,
  SessionKind,
} from '@sallyport/contract';
import type { Attributes, CertifiedKey, Pieces, ProgramExit } from '@sallyport/ssh';
import type { AddressPolicy } from '../../platform/address-policy.ts';
import type { ClusterTarget, DatabaseTarget } from '../ports/grant.ts';
import type { Hop, HostKeys } from '../ports.ts';
import type { DatabaseDriver } from './drivers/driver.ts';
import type { DesktopEvents, DesktopRequest, TargetDesktop } from './target-desktop.ts';
import type { TargetEnd } from './target-end.ts';

/** The route to a target, not opened yet. */
export interface Route {
  /** In the order of the hops; empty for a direct connection. */
  readonly gateways: readonly Hop[];
  readonly target: Hop;
  /** Properties of a database beyond its address. */
  readonly database?: DatabaseTarget;
  readonly cluster?: ClusterTarget;
  /** Signs in to the target instead of the secrets of its account; SSH only. */
  readonly certificate?: CertifiedKey | undefined;
  /** Charset of the target; defaults to UTF-8. */
  readonly charset?: Charset;
  readonly hostKeys: HostKeys;
  readonly addresses: AddressPolicy;
  /** Timeout of each step. */
  readonly timeoutMs: number;
  /** For protocols that sign in at prompts. Defaults to the connector's patterns. */
  readonly prompts?: PromptTests;
  /** The serial line that the target sets, if it can. */
  readonly serialLine?: SerialLine | undefined;
  readonly onStage: (stage: ConnectStage, host: string) => void;
  /**
   * Called when the target uses outdated algorithms; may be called again with more before the
   * connection is ready.
   */
  readonly onOutdated?: (algorithms: readonly string[]) => void;
}

/** Tests of the output of a target that asks for username and password. */
export interface PromptTests {
  /** These test the last line. */
  readonly username?: Test | undefined;
  readonly password?: Test | undefined;
  /** These test the output after the password. */
  readonly success?: Test | undefined;
  readonly failure?: Test | undefined;
}

type Test = (output: string) => boolean;

/** Speaks one protocol to targets. */
export interface Connector {
  readonly protocol: ProtocolName;
  /** The kinds of session that its connections can open. */
  readonly sessionKinds: readonly SessionKind[];
  /** Opens the route and authenticates at the target. Leaves nothing open on failure. */
  connect(route: Route, signal: AbortSignal): Promise<Connection>;
}

/** An authenticated connection to a target. The protocol decides which methods exist. */
export interface Connection {
  /** Opens a shell, or runs a command in a terminal. */
  openShell?(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  /** Runs a command in a terminal. The connection stays open for the next command. */
  openCommand?(request: ShellRequest, events: TargetEvents): Promise<TargetShell>;
  /** Runs a command without a terminal. */
  openExec?(request: ExecRequest, events: ExecEvents): Promise<TargetExec>;
  /** Opens the files of the account. */
  openFiles?(onEnd: TargetEvents['onEnd']): Promise<TargetFiles>;
  openDatabase?(onEnd: TargetEvents['onEnd']): Promise<DatabaseDriver>;
  /** Connects to a port from the target. */
  openForward?(
    address: { readonly host: string; readonly port: number },
    events: ForwardEvents,
  ): Promise<TargetForward>;
  openDesktop?(request: DesktopRequest, events: DesktopEvents): Promise<TargetDesktop>;
  /** Closes the target and all gateways of the route. */
  close(): void;
}

/** An entry of a folder at a target. */
export interface FolderEntry {
  readonly name: Buffer;
  /** A line in the format of `ls -l`, at most 256 bytes. */
  readonly longName: string;
  readonly attributes: Attributes;
}

/**
 * The order of the two paths in a request for a link. The draft sends the link first, OpenSSH its
 * target. Servers and clients of both kinds exist.
 */
export type LinkOrder = 'openssh' | 'draft';

/**
 * The files of an account at a target, not confined to a root. Paths are bytes of the target's
 * charset. Requests may run in parallel; each rejects with a `TargetFileError`.
 */
export interface TargetFiles {
  /** Maximum bytes of one read and one write. */
  readonly readLength: number;
  readonly writeLength: number;
  /** True if `replace` is available. */
  readonly canReplace: boolean;
  /** True if the target can copy between open files. */
  readonly canCopy: boolean;
  /** True if `realPath` resolves the links of a path. Some servers only remove its dots. */
  readonly resolvesLinks: boolean;
  realPath(path: Buffer): Promise<Buffer>;
  readLink(path: Buffer): Promise<Buffer>;
  attributesOf(path: Buffer, isFollowed: boolean): Promise<Attributes>;
  attributesOfOpen(handle: Buffer): Promise<Attributes>;
  /** `create`: the path must not exist, not even as a link. `change`: the file must exist. */
  open(path: Buffer, how: 'read' | 'create' | 'change', mode?: number): Promise<Buffer>;
  closeHandle(handle: Buffer): Promise<void>;
  /** Closes a file that was only read: with the next request, or within milliseconds. */
  releaseHandle(handle: Buffer): void;
  /** Returns up to `length` bytes; none past the end. */
  read(handle: Buffer, offset: number, length: number): Promise<Buffer>;
  /** Like `read`, in the pieces in which the data arrived. */
  readPieces(handle: Buffer, offset: number, length: number): Promise<Pieces>;
  write(handle: Buffer, offset: number, chunk: Buffer): Promise<void>;
  openFolder(path: Buffer): Promise<Buffer>;
  /** Returns the next batch of entries; undefined after the last. */
  readFolder(handle: Buffer): Promise<FolderEntry[] | undefined>;
  setAttributes(path: Buffer, attributes: Attributes): Promise<void>;
  setAttributesOfOpen(handle: Buffer, attributes: Attributes): Promise<void>;
  /** True after the target took mode and time of an upload. Some servers refuse them. */
  takesAttributes: boolean;
  remove(path: Buffer): Promise<void>;
  makeFolder(path: Buffer, mode: number | undefined): Promise<void>;
  removeFolder(path: Buffer): Promise<void>;
  /** Rejects if `to` exists. */
  rename(from: Buffer, to: Buffer): Promise<void>;
  /** Replaces `to` atomically; requires `canReplace`. */
  replace(from: Buffer, to: Buffer): Promise<void>;
  /** The order that this target reads; undefined until a link has proven it. */
  linkOrder: LinkOrder | undefined;
  makeLink(path: Buffer, target: Buffer, order: LinkOrder): Promise<void>;
  /** File system statistics, as `statvfs@openssh.com` encodes them. Undefined if unsupported. */
  volumeOf(path: Buffer): Promise<Buffer | undefined>;
  /** Syncs an open file to the target's disk. Returns false if unsupported. */
  flush(handle: Buffer): Promise<boolean>;
  /** Copies an open file into another; requires `canCopy`. */
  copyData(from: Buffer, to: Buffer): Promise<void>;
  /** Closes the target and all gateways of the route. */
  close(): void;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

/** Language of a shell or command. */
export interface Locale {
  /** Variables of the client, if a client program opens it. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Charset of the target; sets the language if no client program does. */
  readonly charset?: Charset | undefined;
}

export interface ShellRequest extends TerminalSize, Locale {
  /** Terminal type; defaults to `xterm-256color`. */
  readonly term?: string;
  /** Terminal modes of the client, by their names in RFC 4254, section 8. */
  readonly modes?: Readonly<Record<string, number>>;
  /** Runs instead of the account's shell. */
  readonly command?: string | undefined;
}

export interface ExecRequest extends Locale {
  /** Undefined runs the account's shell, which reads its standard input. */
  readonly command: string | undefined;
  /** Keeps the connection open after the command, for the next one. */
  readonly keepsConnection?: boolean;
}

/** Exit status of a program, or the signal that ended it. */
export type TargetExit = ProgramExit;

/** An open shell at a target. Bytes are in the charset of the target. */
export interface TargetShell {
  write(chunk: Buffer): void;
  /** Sends input that we do not echo, for targets that leave the echo to us. */
  writeUnseen?(chunk: Buffer): void;
  /** Bytes accepted by `write` that the target has not read yet. */
  readonly waiting: number;
  resize(cols: number, rows: number): void;
  /** Sends a break: a serial console leaves its program, a device its start. */
  sendBreak?(): void;
  /** Sends a signal, by its name without `SIG`. */
  signal?(name: string): void;
  finishInput?(): void;
  /** Stops reading from the target (back pressure). */
  pause(): void;
  resume(): void;
  /** Closes the shell and its route. Idempotent. */
  close(): void;
}

export interface TargetEvents {
  onData(chunk: Buffer): void;
  /** At most once, before `onEnd`. */
  onExit?(exit: TargetExit): void;
  /** Called once. `message` is the text of the target if `how` is `disconnected`. */
  onEnd(how: TargetEnd, message?: string): void;
}

/** A command that runs at a target. */
export interface TargetExec {
  /** Sends input. Returns false to request a pause until `onDrain`. */
  write(chunk: Buffer): boolean;
  finishInput(): void;
  signal(name: string): void;
  pause(): void;
  resume(): void;
  /** Closes the command's connection and its route. */
  close(): void;
}

export interface ExecEvents {
  onOutput(chunk: Buffer, isError: boolean): void;
  onDrain(): void;
  onExit(exit: TargetExit): void;
  /** Called once, like that of `TargetEvents`. */
  onEnd(how: TargetEnd, message?: string): void;
}

export interface TargetForward {
  /** Sends bytes. Returns false to request a pause until `onDrain`. */
  write(chunk: Buffer): boolean;
  finishInput(): void;
  pause(): void;
  resume(): void;
  /** Closes the connection and its route. */
  close(): void;
}

export interface ForwardEvents {
  onData(chunk: Buffer): void;
  onDrain(): void;
  /** The port closed its sending direction and may still read. */
  onDataEnd(): void;
  /** Called once, like that of `TargetEvents`. */
  onEnd(how: TargetEnd, message?: string): void;
}
