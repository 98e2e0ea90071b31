import type { TightLayout } from './single-tight.ts';
import { type Program, type Step, UnknownData } from './stream-parser.ts';

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

/** Bytes of a pixel in our format, and of one in Tight's packed format. */
const PIXEL = 4;
const SHORT_PIXEL = 3;
/** Allowed overhead of a compressed rectangle, in bytes. */
const SLACK = 64 * 1024;
/**
 * Maximum bytes of a rectangle of Tight, before its compression or as JPEG. Servers send at most
 * 65,536 pixels of three bytes; a larger one would be inflated at once from a few bytes.
 */
export const MAX_TIGHT = 256 * 1024;
/** Maximum width and height of a cursor, in pixels. */
const MAX_CURSOR = 1024;
const MAX_SCREENS = 255;

export interface Rectangle {
  readonly width: number;
  readonly height: number;
  readonly encoding: number;
}

/** Reads and forwards the content of a rectangle. Returns the layout of a Tight rectangle. */
export function* rectangleContent(
  { width, height, encoding }: Rectangle,
  to: (bytes: Buffer) => void,
): Generator<Step, TightLayout | undefined, Buffer> {
  const pixels = width * height;
  switch (encoding) {
    case ENCODING.raw:
      yield { pass: pixels * PIXEL, to };
      return undefined;
    case ENCODING.copyRect:
      yield { pass: 4, to };
      return undefined;
    case ENCODING.rre:
      yield* rre(pixels, to);
      return undefined;
    case ENCODING.hextile:
      yield* hextile(width, height, to);
      return undefined;
    case ENCODING.tight:
      return yield* tight(width, height, to);
    case ENCODING.zrle: {
      const head = yield 4;
      to(head);
      yield { pass: bounded(head.readUInt32BE(0), pixels * (PIXEL + 1)), to };
      return undefined;
    }
    case ENCODING.cursor:
      checkCursor(width, height);
      yield { pass: pixels * PIXEL + Math.ceil(width / 8) * height, to };
      return undefined;
    case ENCODING.vmwareCursor: {
      checkCursor(width, height);
      const head = yield 2;
      to(head);
      if (head[0] !== 0 && head[0] !== 1) throw new UnknownData('a kind of pointer');
      yield { pass: pixels * PIXEL * (head[0] === 0 ? 2 : 1), to };
      return undefined;
    }
    case ENCODING.extendedDesktopSize: {
      const head = yield 4;
      to(head);
      yield { pass: Math.min(head[0] ?? 0, MAX_SCREENS) * 16, to };
      return undefined;
    }
    case ENCODING.desktopSize:
    case ENCODING.qemuKeys:
      return undefined;
    default:
      throw new UnknownData(`encoding ${encoding}`);
  }
}

function bounded(length: number, pixelBytes: number): number {
  if (length > pixelBytes + SLACK)
    throw new UnknownData('a rectangle that is longer than its pixels');
  return length;
}

function checkCursor(width: number, height: number): void {
  if (width > MAX_CURSOR || height > MAX_CURSOR) throw new UnknownData('a pointer of that size');
}

/** RFC 6143, section 7.7.3. */
function* rre(pixels: number, to: (bytes: Buffer) => void): Program {
  const head = yield 4;
  to(head);
  const count = head.readUInt32BE(0);
  if (count > pixels) throw new UnknownData('more rectangles than pixels');
  yield { pass: PIXEL + count * (PIXEL + 8), to };
}

/** RFC 6143, section 7.7.4: tiles of 16×16 pixels, each with flags for its parts. */
function* hextile(width: number, height: number, to: (bytes: Buffer) => void): Program {
  for (let top = 0; top < height; top += 16) {
    for (let left = 0; left < width; left += 16) {
      const head = yield 1;
      to(head);
      const kind = head[0] ?? 0;
      if ((kind & 1) !== 0) {
        yield { pass: Math.min(16, width - left) * Math.min(16, height - top) * PIXEL, to };
        continue;
      }
      const colors = ((kind & 2) !== 0 ? PIXEL : 0) + ((kind & 4) !== 0 ? PIXEL : 0);
      if (colors > 0) yield { pass: colors, to };
      if ((kind & 8) === 0) continue;
      const count = yield 1;
      to(count);
      yield { pass: (count[0] ?? 0) * ((kind & 16) !== 0 ? PIXEL + 2 : 2), to };
    }
  }
}

/** Tight, as described by the RFB community, with 24-bit pixels. */
function* tight(
  width: number,
  height: number,
  to: (bytes: Buffer) => void,
): Generator<Step, TightLayout | undefined, Buffer> {
  const head = yield 1;
  to(head);
  const control = (head[0] ?? 0) >> 4;
  if (control === 8) {
    yield { pass: SHORT_PIXEL, to };
    return undefined;
  }
  if (control === 9) {
    yield {
      pass: bounded(yield* compactLength(to), Math.min(width * height * PIXEL, MAX_TIGHT)),
      to,
    };
    return undefined;
  }
  if (control > 9) throw new UnknownData('a kind of Tight');
  let headBytes = 1;
  const plainLength = yield* filtered(control, width, height, (bytes) => {
    headBytes += bytes.length;
    to(bytes);
  });
  if (plainLength > MAX_TIGHT) throw new UnknownData('a rectangle of Tight of that size');
  let lengthBytes = 0;
  if (plainLength < 12) yield { pass: plainLength, to };
  else {
    const length = yield* compactLength((bytes) => {
      lengthBytes += bytes.length;
      to(bytes);
    });
    yield { pass: bounded(length, plainLength), to };
  }
  return { head: headBytes, plainLength, lengthBytes };
}

/** Reads the filter of a rectangle; returns the uncompressed length of its data. */
function* filtered(
  control: number,
  width: number,
  height: number,
  to: (bytes: Buffer) => void,
): Generator<Step, number, Buffer> {
  let filter = 0;
  if ((control & 4) !== 0) {
    const byteRead = yield 1;
    to(byteRead);
    filter = byteRead[0] ?? 0;
  }
  if (filter === 0 || filter === 2) return width * height * SHORT_PIXEL;
  if (filter !== 1) throw new UnknownData('a filter of Tight');
  const count = yield 1;
  to(count);
  const colors = (count[0] ?? 0) + 1;
  yield { pass: colors * SHORT_PIXEL, to };
  return (colors <= 2 ? Math.ceil(width / 8) : width) * height;
}

/** A length of one to three bytes, least significant first, seven bits in each but the last. */
function* compactLength(to: (bytes: Buffer) => void): Generator<Step, number, Buffer> {
  let length = 0;
  for (let shift = 0; shift < 21; shift += 7) {
    const byteRead = yield 1;
    to(byteRead);
    const byte = byteRead[0] ?? 0;
    length |= (shift === 14 ? byte : byte & 0x7f) << shift;
    if (shift === 14 || (byte & 0x80) === 0) break;
  }
  return length;
}
