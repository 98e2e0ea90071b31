import { Transform, type TransformCallback } from 'node:stream';
import { inParts } from '../parts.ts';
import { StorageError } from '../storage.ts';
import {
  CHUNK,
  type FileSealer,
  type Header,
  newHeader,
  openPart,
  sealPart,
  TAG,
} from './format.ts';

/** Seals content as a finished file. */
export async function* sealFile(
  content: AsyncIterable<Uint8Array>,
  name: string,
  sealer: FileSealer,
): AsyncGenerator<Buffer, undefined> {
  const { bytes, key } = newHeader(sealer, name, CHUNK);
  yield bytes;
  let held: Buffer | undefined;
  let number = 0;
  for await (const chunk of inParts(content, CHUNK)) {
    if (held) {
      yield sealPart(key, held, { number, isLast: false });
      number += 1;
    }
    held = chunk;
  }
  yield sealPart(key, held ?? Buffer.alloc(0), { number, isLast: true });
  return undefined;
}

/** The chunks to open, and the bytes of them to pass on. */
export interface Opening {
  readonly header: Header;
  readonly name: string;
  /** Number of the first chunk, and of the last one of the file. */
  readonly first: number;
  readonly last: number;
  /** Plain bytes of the first chunk to leave out, and number of bytes to pass on after them. */
  readonly skip: number;
  readonly take: number;
}

/** Decrypts chunks of a finished file as they pass. Holds one chunk in memory. */
export class ChunkOpener extends Transform {
  readonly #opening: Opening;
  readonly #size: number;
  #pieces: Buffer[] = [];
  #held = 0;
  #skip: number;
  #left: number;
  #number: number;

  constructor(opening: Opening) {
    super();
    this.#opening = opening;
    this.#size = opening.header.chunk + TAG;
    this.#skip = opening.skip;
    this.#left = opening.take;
    this.#number = opening.first;
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    try {
      for (let from = 0; from < piece.length; ) {
        const some = piece.subarray(from, from + this.#size - this.#held);
        this.#pieces.push(some);
        this.#held += some.length;
        from += some.length;
        if (this.#held === this.#size) this.#open();
      }
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    try {
      if (this.#held > 0) this.#open();
      if (this.#left > 0)
        throw new StorageError('damaged', `${this.#opening.name}: its end is missing`);
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  #open(): void {
    const { header, name, last } = this.#opening;
    const number = this.#number;
    const sealed = Buffer.concat(this.#pieces, this.#held);
    [this.#pieces, this.#held, this.#number] = [[], 0, number + 1];
    const plain = openPart(header.key, sealed, { number, isLast: number === last }, name);
    const passed = plain.subarray(this.#skip, this.#skip + this.#left);
    this.#skip = 0;
    this.#left -= passed.length;
    if (passed.length > 0) this.push(passed);
  }
}
