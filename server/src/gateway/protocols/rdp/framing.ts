import { BadPdu } from './bad-pdu.ts';

/** The smallest TPKT: its header, that of X.224, and a byte. */
const MIN_TPKT = 8;
const MIN_FAST_PATH = 3;

/**
 * Cuts a stream into PDUs: TPKT (RFC 1006 §6) and fast-path (MS-RDPBCGR 2.2.8.1.2, 2.2.9.1.2). A PDU has at most 65,535 bytes by its own header, so what is kept
 * is bounded.
 */
export class PduReader {
  #held: Buffer[] = [];
  #bytes = 0;

  /** Bytes of a PDU that is not complete. */
  get waiting(): number {
    return this.#bytes;
  }

  /** Takes what came and returns the PDUs that are complete with it. @throws BadPdu where no PDU begins so */
  push(chunk: Buffer): Buffer[] {
    this.#held.push(chunk);
    this.#bytes += chunk.length;
    // Many tiny pieces are joined once, when they make a PDU.
    if (this.#bytes < (this.#wanted() ?? 0)) return [];
    const [only, ...others] = this.#held;
    const bytes = only && others.length === 0 ? only : Buffer.concat(this.#held);
    const complete: Buffer[] = [];
    let at = 0;
    for (;;) {
      const length = lengthOf(bytes, at);
      if (length === undefined || at + length > bytes.length) break;
      complete.push(bytes.subarray(at, at + length));
      at += length;
    }
    this.#held = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#bytes = bytes.length - at;
    return complete;
  }

  /** The length of the PDU that is held, as far as its beginning says it. */
  #wanted(): number | undefined {
    const [first] = this.#held;
    if (first && first.length < 4 && this.#held.length > 1) {
      this.#held = [Buffer.concat(this.#held)];
    }
    return this.#held[0] && lengthOf(this.#held[0], 0);
  }
}

/** The length that the PDU at a place says of itself; undefined while its header is incomplete. @throws BadPdu */
function lengthOf(bytes: Buffer, at: number): number | undefined {
  const left = bytes.length - at;
  if (left < 1) return undefined;
  const first = bytes.readUInt8(at);
  if (first === 3) {
    if (left < 4) return undefined;
    const length = bytes.readUInt16BE(at + 2);
    if (length < MIN_TPKT) throw new BadPdu('a TPKT is too short');
    return length;
  }
  if ((first & 3) !== 0) throw new BadPdu('this is neither TPKT nor fast-path');
  if (left < 2) return undefined;
  const short = bytes.readUInt8(at + 1);
  if (short < 0x80) {
    if (short < MIN_FAST_PATH) throw new BadPdu('a fast-path PDU is too short');
    return short;
  }
  if (left < 3) return undefined;
  const length = ((short & 0x7f) << 8) | bytes.readUInt8(at + 2);
  if (length < MIN_FAST_PATH + 1) throw new BadPdu('a fast-path PDU is too short');
  return length;
}
