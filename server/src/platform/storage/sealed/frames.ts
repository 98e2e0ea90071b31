import { Transform, type TransformCallback } from 'node:stream';
import { StorageError } from '../storage.ts';
import {
  type FileSealer,
  GROWING,
  type Header,
  isSealed,
  MAX_HEADER,
  newHeader,
  openPart,
  readHeader,
  sealPart,
  TAG,
} from './format.ts';

/** Plain bytes of a frame at most, which bounds the memory of each reader. */
const MAX_FRAME = 1024 * 1024;
/** Bytes of the length in front of a frame. */
const HEAD = 4;

/** Seals the content of a growing file, one append after the other. */
export class FrameSealer {
  readonly #key: Buffer;
  /** The beginning of the file. */
  readonly header: Buffer;
  #number = 0;

  constructor(sealer: FileSealer, name: string) {
    const { bytes, key } = newHeader(sealer, name, GROWING);
    this.header = bytes;
    this.#key = key;
  }

  /** Returns the frames of an append. */
  seal(plain: Uint8Array): Buffer {
    const frames: Buffer[] = [];
    for (let from = 0; from < plain.length; from += MAX_FRAME) {
      const sealed = sealPart(this.#key, plain.subarray(from, from + MAX_FRAME), {
        number: this.#number,
        isLast: false,
      });
      this.#number += 1;
      const head = Buffer.alloc(HEAD);
      head.writeUInt32LE(sealed.length - TAG);
      frames.push(head, sealed);
    }
    return Buffer.concat(frames);
  }
}

/** Seals content as a growing file, which recovery completes. */
export async function* sealGrowing(
  content: AsyncIterable<Uint8Array>,
  name: string,
  sealer: FileSealer,
): AsyncGenerator<Buffer, undefined> {
  const frames = new FrameSealer(sealer, name);
  yield frames.header;
  for await (const piece of content) yield frames.seal(piece);
  return undefined;
}

const tooLong = (name: string) => new StorageError('damaged', `${name}: a frame is too long`);

/** Reads at most `bytes` bytes of a file from a position. */
export type ReadPart = (from: number, bytes: number) => Promise<Buffer>;

/** Bytes read at once to find frames. */
const WINDOW = 64 * 1024;

/** The complete frames of a growing file, for reads at any position. */
export class Frames {
  readonly #read: ReadPart;
  readonly #header: Header;
  readonly #name: string;
  /** Position of each frame in the file, and of its content in the plain content. */
  readonly #positions: number[] = [];
  readonly #offsets: number[] = [];
  #size = 0;
  #latest: { readonly number: number; readonly plain: Buffer } | undefined;

  private constructor(read: ReadPart, header: Header, name: string) {
    this.#read = read;
    this.#header = header;
    this.#name = name;
  }

  /**
   * Finds the frames in the first `size` bytes of a file. Leaves out the torn end of a crash or a
   * power failure: a part of a frame, or a frame whose length or tag never reached the disk.
   * @throws StorageError
   */
  static async find(read: ReadPart, header: Header, name: string, size: number): Promise<Frames> {
    const frames = new Frames(read, header, name);
    let window: Buffer = Buffer.alloc(0);
    let windowAt = 0;
    const at = async (from: number, bytes: number): Promise<Buffer> => {
      if (from < windowAt || from + bytes > windowAt + window.length)
        [window, windowAt] = [await read(from, WINDOW), from];
      return window.subarray(from - windowAt, from - windowAt + bytes);
    };
    for (let position = header.length; position + HEAD + TAG < size; ) {
      const head = await at(position, HEAD);
      const length = head.length < HEAD ? 0 : head.readUInt32LE();
      if (length > MAX_FRAME) throw tooLong(name);
      const end = position + HEAD + length + TAG;
      if (length === 0 || end > size || isEmpty(await at(end - TAG, TAG))) break;
      frames.#positions.push(position);
      frames.#offsets.push(frames.#size);
      frames.#size += length;
      position = end;
    }
    return frames;
  }

  /** Plain bytes of the complete frames. */
  get size(): number {
    return this.#size;
  }

  /** Returns at most `bytes` plain bytes from a position. @throws StorageError */
  async read(from: number, bytes: number): Promise<Buffer> {
    const until = Math.min(from + bytes, this.#size);
    const pieces: Buffer[] = [];
    for (let number = this.#numberAt(from), at = from; at < until; number++) {
      const offset = this.#offsets[number] ?? 0;
      const some = (await this.#open(number)).subarray(at - offset, until - offset);
      pieces.push(some);
      at += some.length;
    }
    return Buffer.concat(pieces);
  }

  /** Returns the number of the frame with a plain position. */
  #numberAt(position: number): number {
    let [low, high] = [0, this.#offsets.length];
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if ((this.#offsets[middle] ?? 0) <= position) low = middle;
      else high = middle;
    }
    return low;
  }

  async #open(number: number): Promise<Buffer> {
    if (this.#latest?.number === number) return this.#latest.plain;
    const length = (this.#offsets[number + 1] ?? this.#size) - (this.#offsets[number] ?? 0);
    const sealed = await this.#read((this.#positions[number] ?? 0) + HEAD, length + TAG);
    const plain = openPart(this.#header.key, sealed, { number, isLast: false }, this.#name);
    this.#latest = { number, plain };
    return plain;
  }
}

const isEmpty = (bytes: Buffer) => bytes.every((byte) => byte === 0);

/**
 * Decrypts a growing file as it passes, and passes a plain file on. Leaves a torn frame at the end
 * out.
 */
export class FrameOpener extends Transform {
  readonly #sealer: FileSealer;
  readonly #name: string;
  #held: Buffer[] = [];
  #size = 0;
  /** Bytes needed for the next step: the header first, then a length or a frame. */
  #needed = MAX_HEADER;
  #header: Header | 'plain' | undefined;
  #frame: number | undefined;
  #number = 0;
  #left: number;

  /** `length` limits the plain bytes. */
  constructor(sealer: FileSealer, name: string, length = Number.POSITIVE_INFINITY) {
    super();
    this.#sealer = sealer;
    this.#name = name;
    this.#left = length;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      this.#take(piece, false);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      this.#take(Buffer.alloc(0), true);
      if (this.#left > 0 && this.#left !== Number.POSITIVE_INFINITY)
        throw new StorageError('damaged', `${this.#name}: its end is missing`);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  #take(piece: Buffer, isEnd: boolean): void {
    this.#held.push(piece);
    this.#size += piece.length;
    // A short file may end before it is as long as the longest header.
    if (this.#size < this.#needed && (this.#header || !isEnd)) return;
    let rest: Buffer = Buffer.concat(this.#held, this.#size);
    if (!this.#header) rest = this.#begin(rest);
    if (this.#header === 'plain') {
      this.#pass(rest);
      rest = Buffer.alloc(0);
    } else if (this.#header)
      while (rest.length >= this.#needed && this.#left > 0) rest = this.#step(this.#header, rest);
    [this.#held, this.#size] = this.#left > 0 ? [[rest], rest.length] : [[], 0];
  }

  /** Reads the header. Returns the rest. */
  #begin(beginning: Buffer): Buffer {
    if (!isSealed(beginning)) {
      this.#header = 'plain';
      this.#needed = 0;
      return beginning;
    }
    this.#header = readHeader(this.#sealer, this.#name, beginning);
    this.#needed = HEAD;
    return beginning.subarray(this.#header.length);
  }

  #step({ key }: Header, rest: Buffer): Buffer {
    const after = rest.subarray(this.#needed);
    if (this.#frame === undefined) {
      this.#frame = rest.readUInt32LE();
      if (this.#frame > MAX_FRAME) throw tooLong(this.#name);
      this.#needed = this.#frame + TAG;
      return after;
    }
    const sealed = rest.subarray(0, this.#needed);
    this.#pass(openPart(key, sealed, { number: this.#number, isLast: false }, this.#name));
    this.#number += 1;
    this.#frame = undefined;
    this.#needed = HEAD;
    return after;
  }

  #pass(plain: Buffer): void {
    const passed = plain.subarray(0, this.#left);
    this.#left -= passed.length;
    if (passed.length > 0) this.push(passed);
  }
}
