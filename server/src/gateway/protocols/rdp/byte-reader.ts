import { BadPdu } from './bad-pdu.ts';

/** Reads numbers and pieces from front to back; a piece beyond the end is a `BadPdu`, never a shorter piece. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Bytes that were not read yet. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Where the next byte is. */
  get at(): number {
    return this.#at;
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  u16(): number {
    return this.#bytes.readUInt16LE(this.#take(2));
  }

  u16be(): number {
    return this.#bytes.readUInt16BE(this.#take(2));
  }

  u32(): number {
    return this.#bytes.readUInt32LE(this.#take(4));
  }

  /** The next bytes, not copied. */
  bytes(length: number): Buffer {
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

  /** All that is left. */
  rest(): Buffer {
    return this.bytes(this.left);
  }

  #take(length: number): number {
    if (length > this.left) throw new BadPdu('a message ends too early');
    const from = this.#at;
    this.#at += length;
    return from;
  }
}

/** Two bytes, the low one first. */
export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

/** Two bytes, the high one first. */
export function u16be(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** Four bytes, the low one first. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
