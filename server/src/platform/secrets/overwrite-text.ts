import { columnsOf } from './columns.ts';
import type { TextTrack } from './text-track.ts';

const SPACE = 0x20;
const UNDERSCORE = 0x5f;

interface Place {
  /** The part of the output. */
  readonly from: number;
  readonly to: number;
  /** Index of the cell of the cursor in the track. */
  readonly index: number;
  /** True if the cursor is in the last cell of the line. */
  readonly isLastCell: boolean;
}

interface Overwritten {
  /** Offset of the output that follows, the cell that it meets, and the columns so far. */
  readonly at: number;
  readonly cell: number;
  readonly columns: number;
}

/** Prints text over equal or blank cells of a track, up to the first other cell. */
export function overwriteText(
  shown: TextTrack,
  output: Buffer,
  { from, to, index, isLastCell }: Place,
): Overwritten {
  let at = from;
  let cell = index;
  let columns = 0;
  for (; at < to && cell < shown.length; at++, cell++) {
    const byte = output[at] ?? 0;
    const old = shown.bytes[cell] ?? 0;
    const isSame = byte === old || (byte === UNDERSCORE && isLastCell && old > SPACE && old < 0x80);
    const isBlank = (old === SPACE || old === UNDERSCORE) && byte < 0x80;
    if (cell < shown.decided) {
      // A value that is masked while it arrives continues after a repeated character.
      if (!isSame && !(isLastCell && shown.isMasked(cell))) break;
      if (shown.isMasked(cell)) shown.maskNow(at);
    } else if (shown.isFull(cell)) break;
    else if (isSame) shown.alias(cell, at);
    else if (isBlank) {
      shown.bytes[cell] = byte;
      shown.alias(cell, at);
    } else break;
    columns += columnsOf(byte, output[at + 1] ?? 0);
  }
  return { at, cell, columns };
}
