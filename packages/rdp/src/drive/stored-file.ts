import { BLOCK_BYTES, type BlockSpool } from './block-spool.ts';

/** The content of a file in blocks. A missing block is zeros. */
export class StoredFile {
  readonly #spool: BlockSpool;
  #blocks: (number | undefined)[] = [];

  constructor(spool: BlockSpool) {
    this.#spool = spool;
  }

  /** Reads zeros and stored bytes; the caller limits the range to the file. */
  async read(position: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length);
    for (const [index, offset, at, end] of partsOf(position, length)) {
      const block = this.#blocks[index];
      if (block !== undefined) await this.#spool.read(block, offset, bytes.subarray(at, end));
    }
    return bytes;
  }

  async write(position: number, bytes: Buffer): Promise<void> {
    for (const [index, offset, at, end] of partsOf(position, bytes.length)) {
      const block = this.#blocks[index] ?? (await this.#spool.allocate());
      this.#blocks[index] = block;
      await this.#spool.write(block, offset, bytes.subarray(at, end));
    }
  }

  /** Frees the blocks after `size`, and clears the rest of the last one. */
  async cut(size: number): Promise<void> {
    for (const block of this.#blocks.splice(Math.ceil(size / BLOCK_BYTES)))
      if (block !== undefined) this.#spool.free(block);
    const [offset, last] = [size % BLOCK_BYTES, this.#blocks[Math.floor(size / BLOCK_BYTES)]];
    if (offset > 0 && last !== undefined)
      await this.#spool.write(last, offset, Buffer.alloc(BLOCK_BYTES - offset));
  }

  drop(): void {
    for (const block of this.#blocks.splice(0)) if (block !== undefined) this.#spool.free(block);
  }
}

/** The blocks of a range: index, offset in the block, and the part of the range. */
function* partsOf(
  position: number,
  length: number,
): Generator<readonly [index: number, offset: number, at: number, end: number]> {
  for (let at = 0; at < length; ) {
    const offset = (position + at) % BLOCK_BYTES;
    const end = Math.min(length, at + BLOCK_BYTES - offset);
    yield [Math.floor((position + at) / BLOCK_BYTES), offset, at, end];
    at = end;
  }
}
