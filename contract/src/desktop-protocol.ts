import type { KeyboardLayout } from './keyboard-layouts.ts';
import type { ProtocolName } from './protocols.ts';
import type {
  AcknowledgeMessage,
  CredentialsMessage,
  FactorMessage,
  PingMessage,
} from './terminal-protocol.ts';

/**
 * What a browser and the gateway say to each other about a desktop. Text frames carry the messages of terminals (`ServerMessage`), of which `desktop` and
 * `clipboard` belong to desktops alone; binary frames carry the desktop's own protocol, behind its handshake: the gateway has signed in already.
 * The browser acknowledges what it has taken, as with terminals.
 */

/** A desktop session; opened by the session cookie, from our own origin. */
export const DESKTOP_SOCKET_PATH = '/ws/desktop/';

/** The protocols whose accounts open a desktop. */
export const DESKTOP_PROTOCOLS: readonly ProtocolName[] = ['vnc', 'rdp'];

/** Bits of a pixel. */
export type DesktopColors = 16 | 32;

/** First message of a client. The size is that of its window, in pixels; a desktop that has a size of its own keeps it. */
export interface DesktopConnectMessage {
  readonly type: 'connect';
  readonly asset?: string | undefined;
  /** In place of `asset`: the remote app whose program is used instead of a desktop. */
  readonly remote_app?: string | undefined;
  readonly system_user: string;
  readonly protocol?: ProtocolName | undefined;
  readonly width: number;
  readonly height: number;
  /** The layout of the person's keyboard, which desktops of RDP are asked for; absent, the server decides. */
  readonly keyboard?: KeyboardLayout | undefined;
  /** Bits of a pixel that desktops of RDP are asked for: 16 for a slow line; 32 when absent. */
  readonly colors?: DesktopColors | undefined;
}

/** First message on the socket is `connect`; everything else follows. */
export type DesktopClientMessage =
  | DesktopConnectMessage
  | PingMessage
  | CredentialsMessage
  | FactorMessage
  | AcknowledgeMessage;
