import type { DriveRequestMessage } from './drive-protocol.ts';
import type { ProtocolName } from './protocols.ts';
import type {
  AcknowledgeMessage,
  CredentialsMessage,
  FactorMessage,
  PingMessage,
  ReasonMessage,
} from './terminal-protocol.ts';

/**
 * Keyboard layouts for desktops by language and region, with their Windows numbers (MS-RDPBCGR
 * 2.2.1.3.2, `keyboardLayout`).
 */
export const KEYBOARD_LAYOUTS = {
  'en-US': 0x0409,
  'en-GB': 0x0809,
  'zh-CN': 0x0804,
  'zh-TW': 0x0404,
  'ar-SA': 0x0401,
  'cs-CZ': 0x0405,
  'da-DK': 0x0406,
  'de-DE': 0x0407,
  'de-CH': 0x0807,
  'el-GR': 0x0408,
  'es-ES': 0x040a,
  'es-MX': 0x080a,
  'fi-FI': 0x040b,
  'fr-FR': 0x040c,
  'fr-BE': 0x080c,
  'fr-CA': 0x0c0c,
  'fr-CH': 0x100c,
  'he-IL': 0x040d,
  'hu-HU': 0x040e,
  'it-IT': 0x0410,
  'ja-JP': 0x0411,
  'ko-KR': 0x0412,
  'nb-NO': 0x0414,
  'nl-NL': 0x0413,
  'nl-BE': 0x0813,
  'pl-PL': 0x0415,
  'pt-BR': 0x0416,
  'pt-PT': 0x0816,
  'ru-RU': 0x0419,
  'sk-SK': 0x041b,
  'sv-SE': 0x041d,
  'tr-TR': 0x041f,
  'uk-UA': 0x0422,
} as const;

export type KeyboardLayout = keyof typeof KEYBOARD_LAYOUTS;

/** Returns the layout of this name; undefined if unknown. */
export function keyboardLayoutOf(name: unknown): KeyboardLayout | undefined {
  return (Object.keys(KEYBOARD_LAYOUTS) as KeyboardLayout[]).find((layout) => layout === name);
}

/** Returns the layout for a user's languages, preferred first; undefined if none has a layout. */
export function keyboardLayoutFor(languages: readonly string[]): KeyboardLayout | undefined {
  const layouts = Object.keys(KEYBOARD_LAYOUTS) as KeyboardLayout[];
  for (const language of languages) {
    const [name] = language.split('-');
    const layoutOfLanguage =
      layouts.find((layout) => layout === language) ??
      layouts.find((layout) => layout.startsWith(`${name}-`));
    if (layoutOfLanguage) return layoutOfLanguage;
  }
  return undefined;
}

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

/** Asks for another size of the desktop, in pixels, after `resizable`. */
export interface DesktopSizeMessage {
  readonly type: 'size';
  readonly width: number;
  readonly height: number;
}

/** The first message is `connect`. */
export type DesktopClientMessage =
  | DesktopConnectMessage
  | DesktopSizeMessage
  | DriveRequestMessage
  | PingMessage
  | CredentialsMessage
  | FactorMessage
  | ReasonMessage
  | AcknowledgeMessage;
