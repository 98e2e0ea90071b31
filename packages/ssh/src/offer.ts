/** The offer of algorithms that starts a key exchange (KEXINIT, RFC 4253, section 7.1). */

export const KEXINIT = 20;
/** Message type and cookie. */
const BEFORE_LISTS = 1 + 16;
/** Key exchanges and host keys, then two lists each of ciphers, MACs, compression and languages. */
const LISTS = 10;

interface Offer {
  /**
   * Key exchanges, host keys, ciphers, MACs, compression, languages. The last four have two lists
   * each, client to server first.
   */
  readonly lists: readonly (readonly string[])[];
  /** True if the sender's next packet is its guess of the first key exchange message. */
  readonly hasGuess: boolean;
}

/** Parses the payload of a KEXINIT; undefined if it is malformed. */
export function readOffer(payload: Buffer): Offer | undefined {
  if (payload[0] !== KEXINIT) return undefined;
  const lists: string[][] = [];
  let at = BEFORE_LISTS;
  while (lists.length < LISTS) {
    if (at + 4 > payload.length) return undefined;
    const size = payload.readUInt32BE(at);
    if (at + 4 + size > payload.length) return undefined;
    lists.push(payload.toString('latin1', at + 4, at + 4 + size).split(','));
    at += 4 + size;
  }
  return { lists, hasGuess: payload[at] === 1 };
}

/** Returns the payload with other key exchanges in its first list. */
export function withKex(payload: Buffer, names: readonly string[]): Buffer {
  const text = Buffer.from(names.join(','), 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const rest = payload.subarray(BEFORE_LISTS + 4 + payload.readUInt32BE(BEFORE_LISTS));
  return Buffer.concat([payload.subarray(0, BEFORE_LISTS), length, text, rest]);
}
