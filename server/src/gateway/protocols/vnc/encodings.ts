/** Encodings and pseudo-encodings of RFB that are passed on (RFC 6143, section 7.7 and 7.8, and the list of the RFB community). */
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
/** They go on with what came before, so nobody can begin to read them in the middle. */
const CONTINUED = new Set<number>([ENCODING.tight, ENCODING.zrle]);
const isQuality = (encoding: number) => encoding >= -32 && encoding <= -23;
const isCompression = (encoding: number) => encoding >= -256 && encoding <= -247;

/** Whether a rectangle of an encoding can be read without any before it. */
export const standsAlone = (encoding: number): boolean => !CONTINUED.has(encoding);

/** Of the encodings that a page offers, those that the server may use: none that we do not know, and none that goes on with what came before while somebody watches. */
export function offeredEncodings(
  asked: readonly number[],
  isWatched: boolean,
  takesTexts: boolean,
): number[] {
  return asked.filter((encoding) => {
    if (encoding === ENCODING.extendedClipboard && !takesTexts) return false;
    if (isWatched && CONTINUED.has(encoding)) return false;
    return NAMED.has(encoding) || isQuality(encoding) || isCompression(encoding);
  });
}

/** The message that names encodings to the server. */
export function setEncodings(encodings: readonly number[]): Buffer {
  const message = Buffer.alloc(4 + 4 * encodings.length);
  message.writeUInt8(2, 0);
  message.writeUInt16BE(encodings.length, 2);
  for (const [index, encoding] of encodings.entries())
    message.writeInt32BE(encoding, 4 + 4 * index);
  return message;
}
