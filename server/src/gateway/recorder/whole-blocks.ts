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
/** Blocks at the end that may not have been on the disk yet. */
const LOOKED_AT = 16;

/** Where the last whole block of a cut desktop recording ends; the whole length where nothing is missing, undefined when not even the header is whole. */
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
    // The index is the last thing that is written: it counts with its end behind it only, and is made again by nobody.
    if (head.mark !== BLOCK_MARK) {
      const mark = await recording.read(end, END_BYTES);
      return mark.length === END_BYTES &&
        mark.readUInt32LE(0) === END_MARK &&
        end + END_BYTES === recording.size
        ? recording.size
        : from;
    }
    latest.push({ from, head });
    if (latest.length > LOOKED_AT) latest.shift();
    from = end;
  }
  // A power failure can leave a hole of NUL bytes in what was written last.
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
