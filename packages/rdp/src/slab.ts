/** Below the size from which malloc maps pages for each allocation (scripts/malloc.json). */
const SLAB_BYTES = 48 * 1024;

let slab = Buffer.alloc(0);
let used = 0;

/**
 * Allocates bytes for a PDU, next to those of the PDU before where there is room. A picture that
 * changes has a hundred bitmaps, and a buffer for each would keep the garbage collector busy.
 */
export function allocateNext(bytes: number): Buffer {
  if (bytes > SLAB_BYTES / 2) return Buffer.allocUnsafeSlow(bytes);
  if (used + bytes > slab.length) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    used = 0;
  }
  used += bytes;
  return slab.subarray(used - bytes, used);
}

/** Joins PDUs, without a copy if each follows the one before in memory. */
export function joinPdus(pdus: readonly Buffer[], length: number): Buffer {
  const [first, ...others] = pdus;
  if (!first) return Buffer.alloc(0);
  let end = first.byteOffset + first.length;
  for (const { buffer, byteOffset, byteLength } of others) {
    if (buffer !== first.buffer || byteOffset !== end) return Buffer.concat(pdus, length);
    end += byteLength;
  }
  return Buffer.from(first.buffer, first.byteOffset, length);
}
