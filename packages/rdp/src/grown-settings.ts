import { BadPdu } from './byte-reader.ts';

/**
 * Offsets of length fields in a Connect Initial, counted back from the key of the settings: GCC
 * conference, MCS user data, and the form byte of the latter.
 */
const BEFORE = { conference: 10, userData: 19, userDataForm: 20 } as const;

/**
 * Inserts bytes into the settings of a Connect Initial and adjusts all enclosing lengths.
 * @throws BadPdu
 */
export function insertSettings(mcs: Buffer, at: number, bytes: Buffer): Buffer {
  const mark = mcs.indexOf('Duca', 0, 'latin1');
  // BER lengths above 255 are 0x82 and two bytes; PER lengths are two bytes with the first bit set.
  if (mark < BEFORE.userDataForm + 4 || mcs[2] !== 0x82 || mcs[mark - BEFORE.userDataForm] !== 0x82)
    throw new BadPdu('the lengths of the settings have another form');
  const grown = Buffer.concat([mcs.subarray(0, at), bytes, mcs.subarray(at)]);
  for (const [offset, most] of [
    [3, 0xffff],
    [mark - BEFORE.userData, 0xffff],
    [mark - BEFORE.conference, 0xbfff],
    [mark + 4, 0xbfff],
  ] as const) {
    const length = mcs.readUInt16BE(offset) + bytes.length;
    if (length > most || (most === 0xbfff && length < 0x8000))
      throw new BadPdu('the settings are too long');
    grown.writeUInt16BE(length, offset);
  }
  return grown;
}
