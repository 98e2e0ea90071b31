/** Services take no smaller parts but the last, and this much is in memory for each object that is put. */
export const PART_BYTES = 8 * 1024 * 1024;

/** Content in parts of `PART_BYTES`; the last may be shorter, and there is none for no content. */
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
