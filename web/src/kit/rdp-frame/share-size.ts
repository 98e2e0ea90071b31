import { MAX_DESKTOP_PIXELS } from '@sallyport/contract';

/** First byte of an MCS Send Data Indication, the offset of its data, and the head of a share. */
const [INDICATION, DATA_AT, SHARE_HEAD] = [0x68, 15, 14] as const;
const [DEMAND_ACTIVE, BITMAPS] = [1, 2] as const;
const MAX_CAPABILITIES = 64;
/** A shorter set of bitmaps has no size. The gateway skips it, too. */
const LEAST_SET = 16;

/** A size in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size in a Demand Active (MS-RDPBCGR 2.2.1.13.1), with which a desktop begins and
 * resizes. Undefined for other PDUs: pieces of the clipboard and of files come the same way, and
 * begin with the length of their message, where a share has its own length.
 */
export function sizeOfShare(pdu: Uint8Array): PictureSize | undefined {
  const view = new DataView(pdu.buffer, pdu.byteOffset, pdu.byteLength);
  const number = (at: number) => (at + 2 <= view.byteLength ? view.getUint16(at, true) : 0);
  if (pdu[0] !== 3 || pdu[7] !== INDICATION || view.byteLength <= DATA_AT) return undefined;
  if (number(DATA_AT) !== view.byteLength - DATA_AT) return undefined;
  if ((number(DATA_AT + 2) & 15) !== DEMAND_ACTIVE) return undefined;
  const count = DATA_AT + SHARE_HEAD + number(DATA_AT + 10);
  let set = count + 4;
  for (let left = Math.min(number(count), MAX_CAPABILITIES); left > 0; left--) {
    const [width, height] = [number(set + 12), number(set + 14)];
    const length = number(set + 2);
    if (number(set) === BITMAPS && length >= LEAST_SET)
      return isPossible(width * height) ? { width, height } : undefined;
    set += Math.max(4, length);
  }
  return undefined;
}

const isPossible = (pixels: number) => pixels > 0 && pixels <= MAX_DESKTOP_PIXELS;
