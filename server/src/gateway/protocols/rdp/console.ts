import { BadPdu } from './bad-pdu.ts';
import { settingsOf } from './mcs.ts';

/** The block of the session that is wanted (MS-RDPBCGR 2.2.1.3.5): redirection in its fourth version, and that the number of the session counts. It is 0, the console. */
const CLUSTER = 0xc004;
const FLAGS = 0x0f;
const BLOCK = Buffer.from([0x04, 0xc0, 12, 0, FLAGS, 0, 0, 0, 0, 0, 0, 0]);

/** What is before the settings of a Connect Initial, counted back from their mark: T.124 and the length of the conference, the key of T.124, the length of the user data. */
const BEFORE = { conference: 10, userData: 19, userDataForm: 20 } as const;

/**
 * A Connect Initial that asks for the console of the server. Where the browser names a session, that one is replaced; otherwise the block is added at the end, and
 * all lengths around it grow.
 *
 * @throws BadPdu
 */
export function withConsole(mcs: Buffer): Buffer {
  for (const { kind, bytes } of settingsOf(mcs, 'Duca')) {
    if (kind !== CLUSTER) continue;
    if (bytes.length < BLOCK.length) throw new BadPdu('the settings of the session are too short');
    BLOCK.copy(bytes, 4, 4);
    return mcs;
  }
  const mark = mcs.indexOf('Duca', 0, 'latin1');
  // In BER a length above 255 has two bytes after 0x82; in PER it has two bytes whose first bit is set.
  if (mark < BEFORE.userDataForm + 4 || mcs[2] !== 0x82 || mcs[mark - BEFORE.userDataForm] !== 0x82)
    throw new BadPdu('the lengths of the settings have another form');
  const grown = Buffer.concat([mcs, BLOCK]);
  for (const [at, most] of [
    [3, 0xffff],
    [mark - BEFORE.userData, 0xffff],
    [mark - BEFORE.conference, 0xbfff],
    [mark + 4, 0xbfff],
  ] as const) {
    const length = mcs.readUInt16BE(at) + BLOCK.length;
    if (length > most || (most === 0xbfff && length < 0x8000))
      throw new BadPdu('the settings are too long');
    grown.writeUInt16BE(length, at);
  }
  return grown;
}
