import type { ErrorCode } from './errors.ts';
import type { ProtocolName } from './protocols.ts';

/**
 * What the browser and the gateway say to each other over a WebSocket.
 *
 * Binary frames carry terminal bytes: keystrokes up, output down. Text frames carry one JSON message of the types below.
 * The browser acknowledges output after it has drawn it; the gateway stops reading from the target while more than
 * {@link OUTPUT_WINDOW} bytes are unacknowledged, so a flood neither fills memory nor delays Ctrl-C.
 */

/** A new terminal session; opened by the session cookie, from our own origin. */
export const TERMINAL_SOCKET_PATH = '/ws/terminal/';
/** Watching a live session, read-only; `?session={id}`. Output frames and `resize`, `closed`. */
export const WATCH_SOCKET_PATH = '/ws/watch/';

/** The protocols whose accounts the terminal offers. */
export const TERMINAL_PROTOCOLS: readonly ProtocolName[] = ['ssh', 'telnet'];

/** Bytes of output that may be on their way to the browser, not yet drawn. */
export const OUTPUT_WINDOW = 256 * 1024;
/** The browser acknowledges after this many drawn bytes at the latest. */
export const ACKNOWLEDGE_EVERY = 32 * 1024;
/** Seconds between pings; a browser that answers none for twice that long is gone. */
export const PING_SECONDS = 20;

export interface ConnectMessage {
  readonly type: 'connect';
  readonly asset: string;
  readonly system_user: string;
  /** The protocol of the account, as the client knows it; without it, the server takes the one that the account has. */
  readonly protocol?: ProtocolName | undefined;
  readonly cols: number;
  readonly rows: number;
}

/** Answers `need_credentials`. */
export interface CredentialsMessage {
  readonly type: 'credentials';
  readonly username: string;
  readonly password: string;
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

/** First message on the socket is `connect`; everything else follows. */
export type ClientMessage = ConnectMessage | CredentialsMessage | ResizeMessage | AcknowledgeMessage;

/** The state of a connection before it is open. */
export type ConnectStage = 'checking' | 'connecting' | 'gateway' | 'authenticating' | 'opening';

export type ServerMessage =
  | { readonly type: 'stage'; readonly stage: ConnectStage; readonly host?: string }
  | { readonly type: 'need_credentials'; readonly username: string; readonly reason: 'manual' | 'rejected' }
  /** The shell is open; output follows. `watched` says that the session is recorded, always true for now. */
  | { readonly type: 'open'; readonly session: string; readonly asset: string; readonly account: string }
  /** To watchers: the size of the terminal that is watched. */
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  /** The last message of a socket. `message` is in the language of the person. `retry` says whether Reconnect can help. */
  | { readonly type: 'closed'; readonly code: ErrorCode; readonly message: string; readonly retry: boolean };
