/** First bytes of the relevant PDUs (T.125), after the seven bytes of TPKT and X.224. */
export const MCS = {
  attachUser: 0x28,
  attachConfirm: 0x2e,
  join: 0x38,
  joinConfirm: 0x3e,
  send: 0x64,
  indication: 0x68,
  connect: 0x7f,
} as const;

/**
 * Returns the kind of a PDU: the first byte after its header. Undefined for fast-path PDUs, which
 * carry the picture once the connection is complete.
 */
export function kindOf(pdu: Uint8Array): number | undefined {
  return pdu[0] === 3 ? pdu[7] : undefined;
}

/** Returns the length of a PDU, or undefined until its first bytes have arrived. */
function lengthAt(bytes: Uint8Array, at: number): number | undefined {
  const [first, second, third, fourth] = bytes.subarray(at, at + 4);
  if (first === 3)
    return third === undefined || fourth === undefined ? undefined : (third << 8) | fourth;
  if (second === undefined) return undefined;
  if (second < 0x80) return second;
  return third === undefined ? undefined : ((second & 0x7f) << 8) | third;
}

/**
 * Splits bytes into PDUs and copies each one: IronRDP expects exactly one PDU per socket message.
 */
export class PduSplitter {
  #held: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  push(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
    const all = this.#held.length === 0 ? bytes : joined(this.#held, bytes);
    const pdus: Uint8Array<ArrayBuffer>[] = [];
    let at = 0;
    for (;;) {
      const length = lengthAt(all, at);
      // The gateway sends whole PDUs; the lower bound prevents an endless loop on other data.
      if (length === undefined || length < 3 || at + length > all.length) break;
      pdus.push(all.slice(at, at + length));
      at += length;
    }
    this.#held = all.slice(at);
    return pdus;
  }
}

/** Concatenates the pieces. */
export function joined(...pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
