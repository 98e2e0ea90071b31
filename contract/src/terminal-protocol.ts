import type { ClipboardRights, DesktopFacts, FileRights } from './desktop-facts.ts';
import type { ErrorCode } from './errors.ts';
import type { ProtocolName } from './protocols.ts';

/**
 * What the browser and the gateway say to each other over a WebSocket.
 *
 * Binary frames carry terminal bytes: keystrokes up, output down. Text frames carry one JSON message of the types below.
 * The browser acknowledges output after it has drawn it; the gateway stops reading from the target while more than
 * {@link OUTPUT_WINDOW} bytes are unacknowledged, so a flood neither fills memory nor delays Ctrl-C.
 */

/** A terminal session, new or one to come back to; opened by the session cookie, from our own origin. */
export const TERMINAL_SOCKET_PATH = '/ws/terminal/';
/** Watching a live session, read-only; `?session={id}`. Output frames and `resize`, `closed`. */
export const WATCH_SOCKET_PATH = '/ws/watch/';
/** A guest in somebody's live session; `?invitation={id}` of one that this user has accepted. Keys up where typing is allowed; output, `invited`, `resize`, `need_factor`, `closed` down. */
export const GUEST_SOCKET_PATH = '/ws/guest/';

/** The protocols whose accounts the terminal offers. */
export const TERMINAL_PROTOCOLS: readonly ProtocolName[] = ['ssh', 'telnet'];

/** Bytes of output that may be on their way to the browser, not yet drawn. */
export const OUTPUT_WINDOW = 256 * 1024;
/** The browser acknowledges after this many drawn bytes at the latest. */
export const ACKNOWLEDGE_EVERY = 32 * 1024;
/**
 * Bytes of input that a client may have sent while the target has not taken them. A client that knows from `taken` how far the target is keeps what is
 * more, so that a large paste waits in the browser; one that sends more than twice as much is sent away.
 */
export const INPUT_WINDOW = 256 * 1024;
/** Seconds between pings; a browser that answers none for twice that long is gone. */
export const PING_SECONDS = 20;

/** How a client closes a socket that does not answer, before it comes back on another one. RFC 6455, section 7.4.2. */
export const CLOSED_TO_RETURN = 4001;

export interface ConnectMessage {
  readonly type: 'connect';
  readonly asset: string;
  readonly system_user: string;
  /** The protocol of the account, as the client knows it; without it, the server takes the one that the account has. */
  readonly protocol?: ProtocolName | undefined;
  readonly cols: number;
  readonly rows: number;
}

/** First message of a client that comes back to its session: after a lost connection, or from a page that was loaded again. */
export interface ResumeMessage {
  readonly type: 'resume';
  readonly session: string;
  /** Bytes of output that have arrived since the session began; without it, the client wants a whole screen. */
  readonly received?: number | undefined;
  readonly cols: number;
  readonly rows: number;
}

/** Asks for `pong`: whether the other end is still there. */
export interface PingMessage {
  readonly type: 'ping';
}

/** Answers `need_credentials`. */
export interface CredentialsMessage {
  readonly type: 'credentials';
  readonly username: string;
  readonly password: string;
}

/** Answers `need_factor`. */
export interface FactorMessage {
  readonly type: 'factor';
  /** A code of the authenticator, or a recovery code. */
  readonly code: string;
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

/** First message on the socket is `connect` or `resume`; everything else follows. */
export type ClientMessage =
  | ConnectMessage
  | ResumeMessage
  | PingMessage
  | CredentialsMessage
  | FactorMessage
  | ResizeMessage
  | AcknowledgeMessage;

/** Somebody who was invited into a session and is in it. */
export interface SessionGuest {
  /** The id of the invitation. */
  readonly invitation: string;
  readonly name: string;
  /** Whether the guest may type now. */
  readonly types: boolean;
  /** Whether the guest typed last, a moment ago. */
  readonly typing: boolean;
}

/** The state of a connection before it is open. */
export type ConnectStage = 'checking' | 'connecting' | 'gateway' | 'authenticating' | 'opening';

export type ServerMessage =
  | { readonly type: 'stage'; readonly stage: ConnectStage; readonly host?: string }
  | {
      readonly type: 'need_credentials';
      readonly username: string;
      readonly reason: 'manual' | 'rejected';
    }
  /** The permission asks for a fresh second factor; `again` after a wrong code. */
  | { readonly type: 'need_factor'; readonly again: boolean }
  /**
   * The shell is open; output follows. The server keeps it for `keeps` seconds when its client is gone without a word. `old`: the outdated SSH algorithms that
   * the connection to the server uses, with commas between; empty for none.
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
   * The session goes on here. `typed` bytes of input have arrived so far; the client sends again what came behind them. With `screen`, the next binary frame is
   * a whole screen that is not acknowledged, and output continues behind byte `position`; without, output continues where the client said.
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
      /** Seconds since the session began. */
      readonly age: number;
    }
  /** The target has taken so many bytes of input since the session, or the visit of a guest, began. Sent at the beginning and while much input comes. */
  | { readonly type: 'taken'; readonly bytes: number }
  | { readonly type: 'pong' }
  /** To the owner of a session: who is in it as a guest, whenever that changes. */
  | { readonly type: 'guests'; readonly guests: readonly SessionGuest[] }
  /** To a guest: whether typing is allowed now. */
  | { readonly type: 'invited'; readonly types: boolean }
  /** To watchers: the size of the terminal that is watched. */
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  /** Of a desktop, before its first frame; to those who watch it as well. To its person it says whether keys are recorded. */
  | ({ readonly type: 'desktop'; readonly keys_recorded?: boolean } & DesktopFacts)
  /** To the person of a desktop: which texts pass, at the beginning and whenever that changes. */
  | ({ readonly type: 'clipboard' } & ClipboardRights)
  /** To the person of a desktop whose clipboard passes files: which of them, once that is known, and whenever it changes. */
  | ({ readonly type: 'files' } & FileRights)
  /** To those who watch a desktop: where the pointer is, in pixels of the desktop. */
  | { readonly type: 'pointer'; readonly x: number; readonly y: number }
  /** A notice for the user of a session, in their language. `over`: the cause of the notice before it has ended. */
  | { readonly type: 'notice'; readonly message: string; readonly over: boolean }
  /** The last message of a socket. `message` is in the language of the person. `retry` says whether Reconnect can help. */
  | {
      readonly type: 'closed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly retry: boolean;
    };
