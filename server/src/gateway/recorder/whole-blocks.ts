import { crc32 } from 'node:zlib';
import {
  BLOCK_HEAD_BYTES,
  BLOCK_MARK,
  type BlockHead,
  END_MARK,
  readBlockHead,
} from '@sallyport/contract';
import type { UnfinishedRecording } from '../../platform/storage/recordings.ts';

const MAX_HEADER = 64 * 1024;
const END_BYTES = 12;
/** Last blocks to verify; they may not have reached the disk. */
const CHECKED_BLOCKS = 16;

/**
 * Returns the end of the last valid block of a truncated desktop recording: its whole size if
 * nothing is missing, undefined if the header is incomplete.
 */
export async function wholeBlocks(
  recording: Pick<UnfinishedRecording, 'size' | 'read'>,
): Promise<number | undefined> {
  const header = (await recording.read(0, MAX_HEADER)).indexOf(0x0a);
  if (header < 0) return undefined;
  let from = header + 1;
  const latest: { readonly from: number; readonly head: BlockHead }[] = [];
  for (;;) {
    const head = readBlockHead(await recording.read(from, BLOCK_HEAD_BYTES));
    const end = head && from + BLOCK_HEAD_BYTES + head.length;
    if (!head || !end || end > recording.size) break;
    // The index is written last and counts only with its end marker. It is not rebuilt.
    if (head.mark !== BLOCK_MARK) {
      const mark = await recording.read(end, END_BYTES);
      return mark.length === END_BYTES &&
        mark.readUInt32LE(0) === END_MARK &&
        end + END_BYTES === recording.size
        ? recording.size
        : from;
    }
    latest.push({ from, head });
    if (latest.length > CHECKED_BLOCKS) latest.shift();
    from = end;
  }
  // A power failure can leave a hole of NUL bytes in the last writes.
  for (const block of latest) if (!(await isWhole(recording, block))) return block.from;
  return from;
}

async function isWhole(
  recording: Pick<UnfinishedRecording, 'read'>,
  { from, head }: { readonly from: number; readonly head: BlockHead },
): Promise<boolean> {
  const content = await recording.read(from + BLOCK_HEAD_BYTES, head.length);
  return content.length === head.length && crc32(content) === head.crc;
}
