/** Below the size from which malloc maps pages for each allocation (scripts/malloc.json). */
const SLAB_BYTES = 48 * 1024;

/**
 * Allocates bytes next to those before where there is room. A picture that changes has a hundred
 * bitmaps, and a buffer for each would keep the garbage collector busy.
 */
export class Slab {
  #bytes = Buffer.alloc(0);
  #used = 0;

  /** Copies a chunk, which the next read overwrites. */
  copy(chunk: Buffer): Buffer {
    const copy = this.allocate(chunk.length);
    copy.set(chunk);
    return copy;
  }

  allocate(bytes: number): Buffer {
    if (bytes > SLAB_BYTES / 2) return Buffer.allocUnsafeSlow(bytes);
    if (this.#used + bytes > this.#bytes.length) {
      this.#bytes = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#used = 0;
    }
    this.#used += bytes;
    return this.#bytes.subarray(this.#used - bytes, this.#used);
  }
}

const pdus = new Slab();

/** Allocates a PDU, next to the one before where there is room. */
export const allocateNext = (bytes: number): Buffer => pdus.allocate(bytes);

/** Joins PDUs, without a copy if each follows the one before in memory. */
export function joinPdus(list: readonly Buffer[], length: number): Buffer {
  const [first, ...others] = list;
  if (!first) return Buffer.alloc(0);
  let end = first.byteOffset + first.length;
  for (const { buffer, byteOffset, byteLength } of others) {
    if (buffer !== first.buffer || byteOffset !== end) return Buffer.concat(list, length);
    end += byteLength;
  }
  return Buffer.from(first.buffer, first.byteOffset, length);
}
