/**
 * Size of a part. Services accept smaller parts only at the end, and each upload holds one part in
 * memory.
 */
export const PART_BYTES = 8 * 1024 * 1024;

/**
 * Yields content in parts of `PART_BYTES`; the last one may be shorter. Empty content has no parts.
 */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer, undefined> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    for (let from = 0; from < piece.length; ) {
      const some = piece.subarray(from, from + PART_BYTES - size);
      pieces.push(some);
      size += some.length;
      from += some.length;
      if (size < PART_BYTES) continue;
      yield Buffer.concat(pieces, size);
      [pieces, size] = [[], 0];
    }
  }
  if (size > 0) yield Buffer.concat(pieces, size);
  return undefined;
}
