import type { ErrorCode } from '../errors/errors.ts';
import type { PodShell } from '../resources/clusters/cluster-pages.ts';
import type { DriveAnswerMessage, DriveStateMessage, FileRights } from './drive-protocol.ts';
import type { ProtocolName } from './protocols.ts';

/**
 * The WebSocket protocol of the browser and the gateway.
 *
 * Binary frames carry terminal bytes: keystrokes up, output down. Text frames carry one JSON
 * message each. The browser acknowledges drawn output. The gateway stops reading from the target
 * while more than {@link OUTPUT_WINDOW} bytes are unacknowledged, so a flood neither fills memory
 * nor delays Ctrl-C.
 */

/** A new or resumed terminal session, authenticated by the session cookie, from our own origin. */
export const TERMINAL_SOCKET_PATH = '/ws/terminal/';

/** Read-only view of a live session; `?session={id}`. Output frames, `resize` and `closed`. */
export const WATCH_SOCKET_PATH = '/ws/watch/';

/**
 * A guest in a live session; `?invitation={id}` of an invitation that this user accepted. Keys up
 * if typing is allowed; output, `invited`, `resize`, `need_factor` and `closed` down.
 */
export const GUEST_SOCKET_PATH = '/ws/guest/';

/** Protocols that the terminal offers. */
export const TERMINAL_PROTOCOLS: readonly ProtocolName[] = ['ssh', 'telnet'];

/** Maximum unacknowledged bytes of output. */
export const OUTPUT_WINDOW = 256 * 1024;

/** The browser acknowledges at least after this many drawn bytes. */
export const ACKNOWLEDGE_EVERY = 32 * 1024;

/**
 * Maximum bytes of input that the target has not taken. A client that knows the progress from
 * `taken` holds back the rest, so a large paste waits in the browser. The gateway disconnects a
 * client that sends more than twice as much.
 */
export const INPUT_WINDOW = 256 * 1024;

/** Seconds between pings; a browser that misses two is disconnected. */
export const PING_SECONDS = 20;

/**
 * Close code of a client that leaves a dead socket to resume on another one (RFC 6455, section
 * 7.4.2).
 */
export const CLOSED_TO_RETURN = 4001;

/** A container of a pod, and the shell to run in it. */
export interface PodPlace {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
  readonly shell: PodShell;
}

export interface ConnectMessage {
  readonly type: 'connect';
  readonly asset: string;
  readonly system_user: string;
  /** The protocol of the account, if the client knows it; absent: the server looks it up. */
  readonly protocol?: ProtocolName | undefined;
  /** `asset` is a cluster. */
  readonly pod?: PodPlace | undefined;
  readonly cols: number;
  readonly rows: number;
}

/** First message of a client that resumes its session after a lost connection or a reload. */
export interface ResumeMessage {
  readonly type: 'resume';
  readonly session: string;
  /** Bytes of output received since the session began; absent: the client needs a full screen. */
  readonly received?: number | undefined;
  readonly cols: number;
  readonly rows: number;
}

/** Sends a break to a serial console or device; other protocols have none. */
export interface BreakMessage {
  readonly type: 'break';
}

/** Requests `pong`, to check the connection. */
export interface PingMessage {
  readonly type: 'ping';
}

export interface CredentialsMessage {
  readonly type: 'credentials';
  readonly username: string;
  readonly password: string;
}

export interface FactorMessage {
  readonly type: 'factor';
  /** An authenticator code or a recovery code. */
  readonly code: string;
}

/** Answers `need_reason`. */
export interface ReasonMessage {
  readonly type: 'reason';
  readonly text: string;
}

export interface ResizeMessage {
  readonly type: 'resize';
  readonly cols: number;
  readonly rows: number;
}

export interface AcknowledgeMessage {
  readonly type: 'ack';
  readonly bytes: number;
}

/**
 * Answers `transfer`. Until `on` is false, binary frames of the client carry ZMODEM frames instead
 * of keystrokes.
 */
export interface TransferMessage {
  readonly type: 'transfer';
  readonly on: boolean;
}

/** The first message is `connect` or `resume`. */
export type ClientMessage =
  | ConnectMessage
  | ResumeMessage
  | PingMessage
  | BreakMessage
  | CredentialsMessage
  | FactorMessage
  | ReasonMessage
  | ResizeMessage
  | AcknowledgeMessage
  | TransferMessage;

/** A guest in a session. */
export interface SessionGuest {
  readonly invitation: string;
  readonly name: string;
  /** True if the guest may type now. */
  readonly types: boolean;
  /** True if the guest typed a moment ago. */
  readonly typing: boolean;
}

/** State of a connection while it opens; `approval`: it waits for a reviewer. */
export type ConnectStage =
  | 'checking'
  | 'approval'
  | 'connecting'
  | 'gateway'
  | 'authenticating'
  | 'opening';

/** Progress of an approval: the open stage, and the number of stages. */
export interface ApprovalProgress {
  readonly stage: number;
  readonly stages: number;
}

/** A stage of a connection; `progress` of an approval in several stages. */
export interface ConnectStageFacts {
  readonly stage: ConnectStage;
  readonly host?: string;
  readonly progress?: ApprovalProgress;
}

export type ServerMessage =
  | ({ readonly type: 'stage' } & ConnectStageFacts)
  | {
      readonly type: 'need_credentials';
      readonly username: string;
      readonly reason: 'manual' | 'rejected';
    }
  /** The permission requires a fresh second factor; `again` after a wrong code. */
  | { readonly type: 'need_factor'; readonly again: boolean }
  /** Reviewers decide on the connection: the server asks for a reason. */
  | { readonly type: 'need_reason' }
  /**
   * The shell is open; output follows. The server keeps it for `keeps` seconds if the client
   * disappears. `old`: outdated SSH algorithms of the connection, comma-separated; may be empty.
   */
  | {
      readonly type: 'open';
      readonly session: string;
      readonly asset: string;
      readonly account: string;
      readonly keeps: number;
      readonly old: string;
    }
  /**
   * The session resumes. The server has received `typed` bytes of input; the client sends later
   * ones again. With `screen`, the next binary frame is a full screen, not to be acknowledged, and
   * output continues at byte `position`. Otherwise output continues where the client stopped.
   */
  | {
      readonly type: 'resumed';
      readonly session: string;
      readonly asset: string;
      readonly account: string;
      readonly keeps: number;
      readonly old: string;
      readonly typed: number;
      readonly screen: boolean;
      readonly position: number;
      readonly age: number;
    }
  /**
   * Bytes of input that the target has taken since the session, or the guest's visit, began. Sent
   * at the start and during large input.
   */
  | { readonly type: 'taken'; readonly bytes: number }
  | { readonly type: 'pong' }
  /** For the owner of a session: its guests, on every change. */
  | { readonly type: 'guests'; readonly guests: readonly SessionGuest[] }
  /** For a guest: permission to type. */
  | { readonly type: 'invited'; readonly types: boolean }
  /** For watchers: the terminal size. */
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  /**
   * For users and watchers of a desktop, before the first frame. Tells the user if keys are
   * recorded.
   */
  | ({ readonly type: 'desktop'; readonly keys_recorded?: boolean } & DesktopFacts)
  /** For the user of a desktop: allowed texts, at the start and on every change. */
  | ({ readonly type: 'clipboard' } & ClipboardRights)
  /** For the user of a desktop whose server can change its size. */
  | { readonly type: 'resizable' }
  /**
   * For the user of a desktop whose clipboard carries files: allowed directions, once known and on
   * every change.
   */
  | ({ readonly type: 'files' } & FileRights)
  /** For the user of a desktop with a drive. */
  | DriveStateMessage
  | DriveAnswerMessage
  /**
   * For the owner of a terminal: `rz` or `sz` waits for the client. Until `on` is false, binary
   * frames carry ZMODEM frames instead of output, and belong to no position of it.
   */
  | { readonly type: 'transfer'; readonly on: boolean }
  /** For watchers of a desktop: the pointer position in pixels. */
  | { readonly type: 'pointer'; readonly x: number; readonly y: number }
  /** For the owner: input stops for this reason, or passes again (null). */
  | { readonly type: 'locked'; readonly message: string | null }
  /** A notice in the user's language. `over`: the cause of the previous notice has ended. */
  | { readonly type: 'notice'; readonly message: string; readonly over: boolean }
  /** Last message of a socket, in the user's language. `retry`: reconnecting may help. */
  | {
      readonly type: 'closed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly retry: boolean;
    };

/** Maximum side in pixels and maximum pixels of a desktop: an 8K screen. */
export const MAX_DESKTOP_SIDE = 16_384;

export const MAX_DESKTOP_PIXELS = 7680 * 4320;

/** Facts that a page needs before the first frame. */
export interface DesktopFacts {
  readonly protocol: ProtocolName;
  readonly width: number;
  readonly height: number;
  readonly name: string;
}

/** Maximum files on a desktop's clipboard, and maximum bytes of a file. */
export const MAX_DESKTOP_FILES = 1000;
export const MAX_DESKTOP_FILE = 2 * 1024 * 1024 * 1024 - 1;
/**
 * Maximum bytes of a clipboard text that the page sends to a desktop. The gateway ends sessions at
 * 256 KiB of an encoded text.
 */
export const MAX_DESKTOP_TEXT = 250_000;
/** Maximum characters that the page types as keys. */
export const MAX_TYPED_TEXT = 5000;

/** Allowed text directions: out of the desktop (`copy`) and into it (`paste`). */
export interface ClipboardRights {
  readonly copy: boolean;
  readonly paste: boolean;
}
