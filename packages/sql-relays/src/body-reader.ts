/**
 * The peer violated the protocol or a size limit. The message is for logs and never contains
 * received data.
 */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

/**
 * Reads the fields of one message of a database protocol; every read checks the bounds.
 * @throws ProtocolViolation
 */
export class BodyReader {
  private at = 0;
  private readonly body: Buffer;

  constructor(body: Buffer) {
    this.body = body;
  }

  get left(): number {
    return this.body.length - this.at;
  }

  bytes(length: number): Buffer {
    if (length < 0 || length > this.left)
      throw new ProtocolViolation('a message is shorter than it says');
    this.at += length;
    return this.body.subarray(this.at - length, this.at);
  }

  rest(): Buffer {
    return this.bytes(this.left);
  }

  uint8(): number {
    return this.bytes(1).readUInt8();
  }

  int16(): number {
    return this.bytes(2).readInt16BE();
  }

  uint16(): number {
    return this.bytes(2).readUInt16BE();
  }

  int32(): number {
    return this.bytes(4).readInt32BE();
  }

  /** Little-endian integer of `bytes` bytes, as in MySQL. */
  uintLE(bytes: 1 | 2 | 3 | 4): number {
    return this.bytes(bytes).readUIntLE(0, bytes);
  }

  /** Reads up to the next zero byte, and consumes it. */
  zeroEnded(): Buffer {
    const end = this.body.indexOf(0, this.at);
    if (end < 0) throw new ProtocolViolation('a text has no end');
    const bytes = this.bytes(end - this.at);
    this.at++;
    return bytes;
  }

  text(): string {
    return this.zeroEnded().toString('utf8');
  }
}
