import { RECORD } from '@sallyport/contract';
import type { DesktopPiece } from './desktop-recording.ts';
import type { OpenedBlocks } from './opened-blocks.ts';
import type { PicturePart } from './recorded-picture.ts';

/** Returns the picture parts of pieces, and the last pointer position if the pointer moved. */
export async function partsOf(
  pieces: readonly DesktopPiece[],
  opened: OpenedBlocks,
): Promise<{ readonly parts: readonly PicturePart[]; readonly pointer?: Uint8Array }> {
  const blocks = await opened.open(new Set(pieces.map(({ block }) => block)));
  const parts: PicturePart[] = [];
  let pointer: Uint8Array | undefined;
  for (const { kind, block, from, length } of pieces) {
    const bytes = blocks.get(block)?.subarray(from, from + length);
    if (!bytes) continue;
    if (kind === RECORD.pointer && length >= 4) pointer = bytes;
    else if (kind === RECORD.picture || kind === RECORD.part)
      parts.push({ bytes, isWhole: kind === RECORD.picture });
  }
  return { parts, ...(pointer && { pointer }) };
}
