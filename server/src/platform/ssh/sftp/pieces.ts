/** Bytes in the pieces in which they came: what only passes through is not copied into one. */
export type Pieces = readonly Buffer[];

/** Pieces as one; a single one is not copied. */
export function joined(pieces: Pieces): Buffer {
  const [first] = pieces;
  return first && pieces.length === 1 ? first : Buffer.concat(pieces);
}

/** How many bytes pieces have together. */
export function lengthOf(pieces: Pieces): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
