import {
  checksumOf,
  ENDS,
  FORMATS,
  type Format,
  type Header,
  MAX_SUBPACKET,
  PAD,
  TYPES,
  XON,
  ZDLE,
} from './frames.ts';

/** Bytes between frames that terminals and programs add: line ends and flow control. */
const NOISE: ReadonlySet<number> = new Set([0x0a, 0x0d, 0x8a, 0x8d, 0x11, 0x13, 0x91, 0x93]);
const FORMAT_OF: ReadonlyMap<number, Format> = new Map(
  Object.entries(FORMATS).map(([format, byte]) => [byte, format as Format]),
);
const DATA_ENDS: ReadonlySet<number> = new Set(Object.values(ENDS));
/** Types of frames with subpackets. */
const WITH_DATA: ReadonlySet<number> = new Set([TYPES.senderInit, TYPES.file, TYPES.data]);
const MAX_PADS = 16;
const CANCELS = 5;
const HEX_LENGTH = 14;
/** Escapes of DEL and of DEL with a set high bit. */
const DELETES: ReadonlyMap<number, number> = new Map([
  [0x6c, 0x7f],
  [0x6d, 0xff],
]);

export type FramePart =
  | { readonly kind: 'header'; readonly header: Header }
  | { readonly kind: 'data'; readonly content: Uint8Array; readonly end: number }
  /** The other side has cancelled. */
  | { readonly kind: 'cancel' }
  /** The next byte belongs to no frame; `rest` returns it. */
  | { readonly kind: 'stray' };

/** Bytes that break the protocol within a frame. */
export class FrameError extends Error {}

/** Parses one direction of ZMODEM. Feed a chunk, then read its parts. */
export class FrameReader {
  private chunk: Uint8Array = new Uint8Array();
  private at = 0;
  private state: 'between' | 'format' | 'hexadecimal' | 'ends' | 'binary' | 'data' = 'between';
  private format: Format = 'hexadecimal';
  private header: Header | undefined;
  private pads = 0;
  private cancels = 0;
  private isEscape = false;
  private readonly content = new Uint8Array(MAX_SUBPACKET);
  private length = 0;
  private end: number | undefined;
  /** True after a hexadecimal header, before its XON. */
  private mayStart = false;
  private checksum: number[] = [];

  feed(chunk: Uint8Array): void {
    this.chunk = chunk;
    this.at = 0;
  }

  /** True if subpackets of the last header have a checksum of 32 bits. */
  get is32(): boolean {
    return this.format === 'binary32';
  }

  /** Returns the bytes that were not read yet, with a beginning that was no frame. */
  rest(): Uint8Array {
    const begun = [
      ...new Array<number>(this.pads).fill(PAD),
      ...(this.state === 'format' ? [ZDLE] : []),
    ];
    return Uint8Array.from([...begun, ...this.chunk.subarray(this.at)]);
  }

  /** Returns the next part; undefined at the end of the chunk. @throws FrameError */
  next(): FramePart | undefined {
    while (this.at < this.chunk.length) {
      if (this.state === 'data' && this.end === undefined && !this.isEscape) {
        if (this.mayStart && this.chunk[this.at] === XON) this.at++;
        this.mayStart = false;
        this.takeRun();
        if (this.at === this.chunk.length) break;
      }
      const byte = this.chunk[this.at] ?? 0;
      if (this.state === 'ends' && !this.isLineEnd(byte)) return this.took();
      this.cancels = byte === ZDLE ? this.cancels + 1 : 0;
      if (this.cancels === CANCELS) {
        this.at++;
        this.reset();
        return { kind: 'cancel' };
      }
      const part = this.take(byte);
      if (part?.kind === 'stray') return part;
      this.at++;
      if (part) return part;
    }
    return undefined;
  }

  private take(byte: number): FramePart | undefined {
    switch (this.state) {
      case 'between':
        return this.between(byte);
      case 'format':
        return this.begin(byte);
      case 'hexadecimal':
        return this.digit(byte);
      case 'ends':
        this.length++;
        return this.length === HEX_LENGTH + 2 ? this.took() : undefined;
      case 'binary':
        return this.binary(byte);
      case 'data':
        return this.data(byte);
    }
  }

  private between(byte: number): FramePart | undefined {
    if (byte === PAD && this.pads < MAX_PADS) this.pads++;
    else if (byte === ZDLE) {
      if (this.pads > 0) this.state = 'format';
    } else if (this.pads > 0 || !NOISE.has(byte)) return { kind: 'stray' };
    return undefined;
  }

  private begin(byte: number): FramePart | undefined {
    const format = FORMAT_OF.get(byte);
    if (byte === ZDLE) return undefined;
    if (!format) return { kind: 'stray' };
    this.format = format;
    this.state = format === 'hexadecimal' ? 'hexadecimal' : 'binary';
    this.pads = 0;
    this.length = 0;
    this.isEscape = false;
    return undefined;
  }

  private digit(byte: number): undefined {
    // Hexadecimal digits in lower case, as the protocol demands.
    if (!/[0-9a-f]/.test(String.fromCharCode(byte))) throw new FrameError('no digit');
    this.content[this.length++] = byte;
    if (this.length < HEX_LENGTH) return;
    const digits = String.fromCharCode(...this.content.subarray(0, HEX_LENGTH));
    const bytes = digits.match(/../g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
    this.setHeader(Uint8Array.from(bytes));
    this.state = 'ends';
  }

  /** Returns true for the next byte of the line end after a hexadecimal header. */
  private isLineEnd(byte: number): boolean {
    return (byte & 0x7f) === (this.length === HEX_LENGTH ? 0x0d : 0x0a);
  }

  private binary(byte: number): FramePart | undefined {
    const value = this.unescaped(byte);
    if (value === undefined) return undefined;
    this.content[this.length++] = value;
    if (this.length < (this.format === 'binary32' ? 9 : 7)) return undefined;
    this.setHeader(this.content.subarray(0, this.length));
    return this.took();
  }

  private setHeader(bytes: Uint8Array): void {
    const body = bytes.subarray(0, 5);
    mustMatch(checksumOf(body, this.format === 'binary32'), bytes.subarray(5));
    const [type = 0, first = 0, second = 0, third = 0, fourth = 0] = body;
    const value = (first | (second << 8) | (third << 16) | (fourth << 24)) >>> 0;
    this.header = { format: this.format, type, value };
  }

  private took(): FramePart | undefined {
    const { header } = this;
    if (!header) return undefined;
    this.header = undefined;
    this.mayStart = header.format === 'hexadecimal';
    this.state = WITH_DATA.has(header.type) ? 'data' : 'between';
    this.length = 0;
    this.isEscape = false;
    return { kind: 'header', header };
  }

  private data(byte: number): FramePart | undefined {
    if (this.end === undefined && this.isEscape && DATA_ENDS.has(byte)) {
      this.isEscape = false;
      this.end = byte;
      this.checksum = [];
      return undefined;
    }
    const value = this.unescaped(byte);
    if (value === undefined) return undefined;
    if (this.end === undefined) {
      if (this.length === MAX_SUBPACKET) throw new FrameError('a long subpacket');
      this.content[this.length++] = value;
      return undefined;
    }
    if (this.checksum.push(value) < (this.format === 'binary32' ? 4 : 2)) return undefined;
    const { end } = this;
    const content = this.content.slice(0, this.length);
    mustMatch(checksumOf(content, this.format === 'binary32', end), this.checksum);
    this.length = 0;
    this.end = undefined;
    if (end === ENDS.frame || end === ENDS.frameAnswer) this.state = 'between';
    return { kind: 'data', content, end };
  }

  /** Takes the bytes of a subpacket at once, up to an escape that is more than a character. */
  private takeRun(): void {
    const { chunk, content } = this;
    let { at, length } = this;
    for (; at < chunk.length && length < MAX_SUBPACKET; at++) {
      let byte = chunk[at] ?? 0;
      if (byte === ZDLE) {
        const escaped = chunk[at + 1] ?? 0;
        if ((escaped & 0x60) !== 0x40) break;
        byte = escaped ^ 0x40;
        at++;
      }
      content[length++] = byte;
    }
    if (at > this.at) this.cancels = 0;
    this.at = at;
    this.length = length;
  }

  /** Returns the value of a byte; undefined for an escape. */
  private unescaped(byte: number): number | undefined {
    if (byte === ZDLE) {
      this.isEscape = true;
      return undefined;
    }
    if (!this.isEscape) return byte;
    this.isEscape = false;
    const value = DELETES.get(byte) ?? ((byte & 0x60) === 0x40 ? byte ^ 0x40 : undefined);
    if (value === undefined) throw new FrameError('an unknown escape');
    return value;
  }

  private reset(): void {
    this.state = 'between';
    this.header = undefined;
    this.pads = 0;
    this.cancels = 0;
    this.isEscape = false;
    this.length = 0;
    this.end = undefined;
  }
}

function mustMatch(checksum: Uint8Array, received: ArrayLike<number>): void {
  if (checksum.some((byte, index) => byte !== received[index]))
    throw new FrameError('a wrong checksum');
}
