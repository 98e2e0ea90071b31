import type { KeyboardLayout } from './keyboard-layouts.ts';
import type { ProtocolName } from './protocols.ts';
import type {
  AcknowledgeMessage,
  CredentialsMessage,
  FactorMessage,
  PingMessage,
} from './terminal-protocol.ts';

/**
 * The WebSocket protocol of desktops. Text frames carry the messages of terminals
 * (`ServerMessage`), where `desktop` and `clipboard` belong to desktops alone. Binary frames carry
 * the desktop's own protocol after its handshake, because the gateway signs in. The browser
 * acknowledges output, as with terminals.
 */

/** A desktop session, authenticated by the session cookie, from our own origin. */
export const DESKTOP_SOCKET_PATH = '/ws/desktop/';

/** Protocols that open a desktop. */
export const DESKTOP_PROTOCOLS: readonly ProtocolName[] = ['vnc', 'rdp'];

/** Bits per pixel. */
export type DesktopColors = 16 | 32;

/**
 * First message of a client. The size is its window in pixels; a desktop with a fixed size keeps
 * it.
 */
export interface DesktopConnectMessage {
  readonly type: 'connect';
  readonly asset?: string | undefined;
  /** Instead of `asset`: the remote app to start. */
  readonly remote_app?: string | undefined;
  readonly system_user: string;
  readonly protocol?: ProtocolName | undefined;
  readonly width: number;
  readonly height: number;
  /** Keyboard layout for RDP desktops; absent: the server decides. */
  readonly keyboard?: KeyboardLayout | undefined;
  /** Bits per pixel for RDP desktops: 16 for slow connections; default 32. */
  readonly colors?: DesktopColors | undefined;
}

/** The first message is `connect`. */
export type DesktopClientMessage =
  | DesktopConnectMessage
  | PingMessage
  | CredentialsMessage
  | FactorMessage
  | AcknowledgeMessage;
