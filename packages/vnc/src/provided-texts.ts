import { constants, inflateSync } from 'node:zlib';

/** Maximum length of the texts of one message, after they are inflated. */
export const MAX_PROVIDED = 1024 * 1024;
const FORMATS = 16;
const LENGTH_BYTES = 4;

/**
 * Returns true if the texts of an extended "provide" message are as long as they announce, and at
 * most `MAX_PROVIDED` bytes. Pages allocate the announced lengths.
 *
 * @param content flags, and a zlib stream with length and bytes of each format
 */
export function canOpen(content: Buffer): boolean {
  const flags = content.readUInt32BE(0);
  let plain: Buffer;
  try {
    plain = inflateSync(content.subarray(LENGTH_BYTES), {
      finishFlush: constants.Z_SYNC_FLUSH,
      // Texts are short; the default of 16 KiB for each is garbage that a flood piles up.
      chunkSize: 1024,
      maxOutputLength: MAX_PROVIDED,
    });
  } catch {
    return false;
  }
  let end = 0;
  for (let format = 0; format < FORMATS; format++) {
    if ((flags & (1 << format)) === 0) continue;
    if (end + LENGTH_BYTES > plain.length) return false;
    end += LENGTH_BYTES + plain.readUInt32BE(end);
  }
  return end <= plain.length;
}
