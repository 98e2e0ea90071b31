import { u16, u32 } from './byte-reader.ts';
import type { WindowsAccount } from './ntlm.ts';

/** The head of a message that is protected by TLS alone (MS-RDPBCGR 2.2.8.1.1.2.1): this one is the Client Info. */
export const INFO_PACKET = 0x0040;

/** Mouse, Ctrl+Alt+Del not asked for, sign in with what is here, Unicode, whole screen, say when signed in, Windows key, errors of the sign-in, wheel, no sound (2.2.1.11.1.1). */
const FLAGS =
  0x0001 | 0x0002 | 0x0008 | 0x0010 | 0x0020 | 0x0040 | 0x0100 | 0x1_0000 | 0x2_0000 | 0x8_0000;
/** Wallpaper, dragging with content, animations of menus: a slow line does without (2.2.1.11.1.1.1). */
const PLAIN_LOOK = 0x0001 | 0x0002 | 0x0004;
const TIME_ZONE_BYTES = 172;
/** The most bytes of a text (2.2.1.11.1.1). */
const MAX_TEXT = 512;

/** What runs in place of the desktop. */
export interface InitialProgram {
  readonly program: string;
  readonly folder: string;
}

const utf16 = (text: string) => Buffer.from(text, 'utf16le');

/**
 * The message that signs in at a server (MS-RDPBCGR 2.2.1.11), written by us as a whole: of what the browser sent in its place nothing is used. It asks for no compression.
 *
 * @throws RangeError when a name or the password is longer than the protocol carries
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
    // The address of the person's computer and its time zone are nobody's business there.
    u16(2),
    u16(address.length),
    address,
    u16(folder.length),
    folder,
    Buffer.alloc(TIME_ZONE_BYTES),
    u32(0),
    u32(isPlain ? PLAIN_LOOK : 0),
    // No cookie to come back with.
    u16(0),
  ]);
}

/** An account from what is stored: `DOMAIN\name`, `name@domain` or `name`. */
export function windowsAccount(username: string, password: string): WindowsAccount {
  const [, domain, name] = /^([^\\]+)\\(.+)$/.exec(username) ?? [];
  return { domain: domain ?? '', username: name ?? username, password };
}
