/**
 * Encodings and pseudo-encodings that we pass on (RFC 6143, sections 7.7 and 7.8, and the list of
 * the RFB community).
 */
export const ENCODING = {
  raw: 0,
  copyRect: 1,
  rre: 2,
  hextile: 5,
  tight: 7,
  zrle: 16,
  desktopSize: -223,
  lastRect: -224,
  cursor: -239,
  qemuKeys: -258,
  extendedDesktopSize: -308,
  fence: -312,
  continuousUpdates: -313,
  vmwareCursor: 0x574d5664,
  extendedClipboard: 0xc0a1e5ce | 0,
} as const;

const NAMED = new Set<number>(Object.values(ENCODING));
/** Stateful encodings: a reader cannot begin in the middle. */
const CONTINUED = new Set<number>([ENCODING.tight, ENCODING.zrle]);
const isQuality = (encoding: number) => encoding >= -32 && encoding <= -23;
const isCompression = (encoding: number) => encoding >= -256 && encoding <= -247;

/** Returns true if a rectangle of the encoding is readable without earlier ones. */
export const isSelfContained = (encoding: number): boolean => !CONTINUED.has(encoding);

/**
 * Filters the encodings of a page: drops unknown ones, and stateful ones while the desktop has
 * watchers.
 */
export function offeredEncodings(
  supported: readonly number[],
  isWatched: boolean,
  takesTexts: boolean,
): number[] {
  return supported.filter((encoding) => {
    if (encoding === ENCODING.extendedClipboard && !takesTexts) return false;
    if (isWatched && CONTINUED.has(encoding)) return false;
    return NAMED.has(encoding) || isQuality(encoding) || isCompression(encoding);
  });
}

export function setEncodings(encodings: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * encodings.length);
  message.writeUInt8(2, 0);
  message.writeUInt16BE(encodings.length, 2);
  for (const [index, encoding] of encodings.entries())
    message.writeInt32BE(encoding, 4 + 4 * index);
  return message;
}
