import { BadPdu } from './byte-reader.ts';
import { settingsOf } from './mcs.ts';

/**
 * Cluster data block (MS-RDPBCGR 2.2.1.3.5): redirection version 4, with a valid session id. The id
 * 0 is the console.
 */
const CLUSTER = 0xc004;
const FLAGS = 0x0f;
const BLOCK = Buffer.from([0x04, 0xc0, 12, 0, FLAGS, 0, 0, 0, 0, 0, 0, 0]);

/**
 * Offsets of length fields in a Connect Initial, counted back from the key of the settings: GCC
 * conference, MCS user data, and the form byte of the latter.
 */
const BEFORE = { conference: 10, userData: 19, userDataForm: 20 } as const;

/**
 * Makes a Connect Initial request the server's console. Replaces the browser's cluster block, or
 * appends one and adjusts all enclosing lengths.
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
  // BER lengths above 255 are 0x82 and two bytes; PER lengths are two bytes with the first bit set.
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
