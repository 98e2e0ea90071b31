import { BadPdu } from './byte-reader.ts';

/** Minimum bytes of a TPKT: its header, the X.224 header and one byte. */
const MIN_TPKT = 8;
const MIN_FAST_PATH = 3;
/** Pieces that are merged: a server may send a PDU byte by byte, and each piece is an object. */
const MERGE_COUNT = 64;

/**
 * Splits a stream into PDUs: TPKT (RFC 1006 §6) and fast-path (MS-RDPBCGR 2.2.8.1.2, 2.2.9.1.2).
 * Their headers limit a PDU, and thus the buffer, to 65,535 bytes.
 */
export class PduReader {
  #held: Buffer[] = [];
  #bytes = 0;

  /** Bytes of an incomplete PDU. */
  get waiting(): number {
    return this.#bytes;
  }

  /** Feeds a chunk; returns the completed PDUs. @throws BadPdu */
  push(chunk: Buffer): Buffer[] {
    this.#held.push(chunk);
    this.#bytes += chunk.length;
    if (this.#held.length === MERGE_COUNT) this.#held = [Buffer.concat(this.#held, this.#bytes)];
    // Concatenate small chunks only once they complete a PDU.
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

  /** Length of the buffered PDU, if its header is complete. */
  #wanted(): number | undefined {
    const [first] = this.#held;
    if (first && first.length < 4 && this.#held.length > 1) {
      this.#held = [Buffer.concat(this.#held)];
    }
    return this.#held[0] && lengthOf(this.#held[0], 0);
  }
}

/**
 * Returns the length of the PDU at an offset; undefined while its header is incomplete.
 * @throws BadPdu
 */
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
