import { u16, u32 } from './byte-reader.ts';
import type { WindowsAccount } from './ntlm.ts';

/**
 * Security header flag of a Client Info PDU; TLS is the only protection (MS-RDPBCGR 2.2.8.1.1.2.1).
 */
export const INFO_PACKET = 0x0040;

/**
 * MS-RDPBCGR 2.2.1.11.1.1: mouse, no Ctrl+Alt+Del, autologon, Unicode, maximized shell, logon
 * notification, Windows key, logon errors, mouse wheel, no sound.
 */
const FLAGS =
  0x0001 | 0x0002 | 0x0008 | 0x0010 | 0x0020 | 0x0040 | 0x0100 | 0x1_0000 | 0x2_0000 | 0x8_0000;
/** Disables wallpaper, full-window drag and menu animations for slow lines (2.2.1.11.1.1.1). */
const PLAIN_LOOK = 0x0001 | 0x0002 | 0x0004;
const TIME_ZONE_BYTES = 172;
/** Maximum length of a text in bytes (2.2.1.11.1.1). */
const MAX_TEXT = 512;

export interface InitialProgram {
  readonly program: string;
  readonly folder: string;
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');

/**
 * Builds the Client Info PDU, which signs in (MS-RDPBCGR 2.2.1.11). It uses nothing of the
 * browser's PDU and requests no compression.
 *
 * @throws RangeError if a name or the password exceeds the protocol's limit
 */
export function clientInfo(
  account: WindowsAccount,
  start: InitialProgram = { program: '', folder: '' },
  isPlain = false,
): Buffer {
  const texts = [
    account.domain,
    account.username,
    account.password,
    start.program,
    start.folder,
  ].map(utf16);
  if (texts.some(({ length }) => length > MAX_TEXT))
    throw new RangeError('a text is too long for RDP');
  const address = utf16('0.0.0.0\0');
  const folder = utf16('\0');
  return Buffer.concat([
    u16(INFO_PACKET),
    u16(0),
    u32(0),
    u32(FLAGS),
    ...texts.map(({ length }) => u16(length)),
    ...texts.flatMap((text) => [text, u16(0)]),
    // Withhold address and time zone of the user's computer.
    u16(2),
    u16(address.length),
    address,
    u16(folder.length),
    folder,
    Buffer.alloc(TIME_ZONE_BYTES),
    u32(0),
    u32(isPlain ? PLAIN_LOOK : 0),
    // No auto-reconnect cookie.
    u16(0),
  ]);
}

/** Parses a stored username: `DOMAIN\name`, `name@domain` or `name`. */
export function windowsAccount(username: string, password: string): WindowsAccount {
  const [, domain, name] = /^([^\\]+)\\(.+)$/.exec(username) ?? [];
  return { domain: domain ?? '', username: name ?? username, password };
}
