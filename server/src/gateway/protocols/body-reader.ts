/** The other side broke the protocol, or sent more than it may. The message is for logs and never holds what was sent. */
export class ProtocolViolation extends Error {
  override readonly name = 'ProtocolViolation';
}

/** Reads the parts of one message of a database protocol. Every read checks what is left. @throws ProtocolViolation */
export class BodyReader {
  private at = 0;
  private readonly body: Buffer;

  constructor(body: Buffer) {
    this.body = body;
  }

  /** Bytes that were not read yet. */
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

  /** Little-endian, of so many bytes: MySQL. */
  uintLE(bytes: 1 | 2 | 3 | 4): number {
    return this.bytes(bytes).readUIntLE(0, bytes);
  }

  /** Up to the next zero byte, which is read as well. */
  zeroEnded(): Buffer {
    const end = this.body.indexOf(0, this.at);
    if (end < 0) throw new ProtocolViolation('a text has no end');
    const found = this.bytes(end - this.at);
    this.at++;
    return found;
  }

  text(): string {
    return this.zeroEnded().toString('utf8');
  }
}
