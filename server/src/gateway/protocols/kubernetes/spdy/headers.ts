import { constants, createInflate } from 'node:zlib';
import { DICTIONARY } from './dictionary.ts';

/** Maximum bytes of the headers of one stream. */
const MOST_BYTES = 16_384;
const MOST_HEADERS = 64;
const LONGEST_STORED = 65_535;

/** An empty block. Without it, Go waits for the next block before it reads this one. */
const FLUSH = Buffer.from([0, 0, 0, 0xff, 0xff]);

/** Values by lower-case names. */
export type SpdyHeaders = Readonly<Record<string, string>>;

/** Writes headers of one direction: zlib blocks that are stored, not compressed. */
export class HeaderWriter {
  private hasBegun = false;

  write(headers: SpdyHeaders): Buffer {
    const texts = Object.entries(headers);
    const parts = [number(texts.length)];
    for (const text of texts.flat()) {
      const bytes = Buffer.from(text, 'utf8');
      parts.push(number(bytes.length), bytes);
    }
    const content = Buffer.concat(parts);
    if (content.length > LONGEST_STORED) throw new Error('headers are too long');
    const block = Buffer.alloc(5);
    block.writeUInt16LE(content.length, 1);
    block.writeUInt16LE(content.length ^ 0xffff, 3);
    const start = this.hasBegun ? [] : [Buffer.from([0x78, 0x01])];
    this.hasBegun = true;
    return Buffer.concat([...start, block, content, FLUSH]);
  }
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Reads the headers of one direction, which share one state of compression. */
export class HeaderReader {
  private readonly inflate = createInflate({ dictionary: DICTIONARY });
  private chunks: Buffer[] = [];
  private bytes = 0;

  constructor() {
    this.inflate.on('error', () => this.inflate.destroy());
    this.inflate.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (this.bytes > MOST_BYTES) this.inflate.destroy();
      else this.chunks.push(chunk);
    });
  }

  /** @throws Error for headers that are invalid or too long */
  async read(block: Buffer): Promise<SpdyHeaders> {
    const { inflate } = this;
    this.chunks = [];
    this.bytes = 0;
    await new Promise<void>((done, failed) => {
      const fail = () => failed(new Error('the headers are not valid'));
      if (inflate.destroyed) {
        fail();
        return;
      }
      inflate.once('close', fail);
      inflate.write(block);
      inflate.flush(constants.Z_SYNC_FLUSH, () => {
        inflate.off('close', fail);
        done();
      });
    });
    return parse(Buffer.concat(this.chunks));
  }

  close(): void {
    this.inflate.destroy();
  }
}

function parse(bytes: Buffer): SpdyHeaders {
  let at = 0;
  const readNumber = () => {
    at += 4;
    return bytes.readUInt32BE(at - 4);
  };
  const readText = () => {
    const length = readNumber();
    if (length > bytes.length - at) throw new Error('headers are cut');
    at += length;
    return bytes.toString('utf8', at - length, at);
  };
  const count = readNumber();
  if (count > MOST_HEADERS) throw new Error('too many headers');
  return Object.fromEntries(
    Array.from({ length: count }, () => [readText().toLowerCase(), readText()]),
  );
}
