/** Reads the data types of RFC 4251, section 5. Its methods throw where the bytes end. */
export class WireReader {
  at = 0;
  private readonly all: Buffer;

  constructor(bytes: Buffer) {
    this.all = bytes;
  }

  number32(): number {
    this.at += 4;
    return this.all.readUInt32BE(this.at - 4);
  }

  number64(): bigint {
    this.at += 8;
    return this.all.readBigUInt64BE(this.at - 8);
  }

  bytes(length: number): Buffer {
    if (this.at + length > this.all.length) throw new Error('the bytes end too early');
    this.at += length;
    return this.all.subarray(this.at - length, this.at);
  }

  string(): Buffer {
    return this.bytes(this.number32());
  }

  strings(): string[] {
    const inner = new WireReader(this.string());
    const values: string[] = [];
    while (inner.at < inner.all.length) values.push(inner.string().toString());
    return values;
  }
}
