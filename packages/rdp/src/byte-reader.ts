/**
 * A server or browser sent a PDU that RDP or our settings do not allow here. Ends the session. The
 * message is for the log and never contains received data.
 */
export class BadPdu extends Error {
  override readonly name = 'BadPdu';
}

/**
 * Reads numbers and byte ranges in order. Reading past the end throws `BadPdu`; ranges are never
 * shortened.
 */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Offset of the next byte. */
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

  /** The next bytes, without a copy. */
  bytes(length: number): Buffer {
    const from = this.#take(length);
    return this.#bytes.subarray(from, from + length);
  }

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

/** Little-endian. */
export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

/** Big-endian. */
export function u16be(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** Little-endian. */
export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}
