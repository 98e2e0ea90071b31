/** First byte of an MCS Send Data Indication, the offset of its data, and the head of a share. */
const [INDICATION, DATA_AT, SHARE_HEAD] = [0x68, 15, 14] as const;
const [DEMAND_ACTIVE, BITMAPS] = [1, 2] as const;
const MAX_CAPABILITIES = 64;

/** A size in pixels. */
export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size in a Demand Active (MS-RDPBCGR 2.2.1.13.1), with which a desktop begins and
 * resizes. Undefined for other PDUs.
 */
export function sizeOfShare(pdu: Uint8Array): PictureSize | undefined {
  const view = new DataView(pdu.buffer, pdu.byteOffset, pdu.byteLength);
  const number = (at: number) => (at + 2 <= view.byteLength ? view.getUint16(at, true) : 0);
  if (pdu[0] !== 3 || pdu[7] !== INDICATION || view.byteLength <= DATA_AT) return undefined;
  if ((number(DATA_AT + 2) & 15) !== DEMAND_ACTIVE) return undefined;
  const count = DATA_AT + SHARE_HEAD + number(DATA_AT + 10);
  let set = count + 4;
  for (let left = Math.min(number(count), MAX_CAPABILITIES); left > 0; left--) {
    const [width, height] = [number(set + 12), number(set + 14)];
    if (number(set) === BITMAPS) return width * height > 0 ? { width, height } : undefined;
    set += Math.max(4, number(set + 2));
  }
  return undefined;
}
