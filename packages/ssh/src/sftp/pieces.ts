/** Bytes in several buffers, so that forwarded data is not copied into one. */
export type Pieces = readonly Buffer[];

/** Joins pieces into one buffer; a single piece is not copied. */
export function joined(pieces: Pieces): Buffer {
  const [first] = pieces;
  return first && pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** Returns the total number of bytes. */
export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
