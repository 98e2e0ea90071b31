import { BadPdu, ByteReader } from '../byte-reader.ts';
import { allocateNext } from '../slab.ts';
import { readInterleaved, readRaw } from './interleaved.ts';
import { readPlanar, writePlanar } from './planar.ts';
import { cropPlanes, type Planes, rowsOfPlanes } from './planes.ts';
import { trimPlanar } from './trim-planar.ts';

/** Fast-path update type of bitmaps (MS-RDPBCGR 2.2.9.1.2.1). */
const FAST_PATH_BITMAP = 1;
/** Bytes of a fast-path PDU before its update, and of an update before its bitmap. */
export const FAST_PATH_HEAD = 6;
const UPDATE_HEAD = 22;
/** Limits: rectangles per update, and bitmap size of an 8K screen. */
const MAX_RECTANGLES = 8192;
const MAX_SIDE = 8192;
const MAX_PIXELS = 8192 * 4320;
/**
 * Maximum pixels of one update that are decoded. Servers send most bitmaps as tiles that need no
 * decoding; a hostile one packs millions of pixels into a few bytes.
 */
const MAX_DECODED = 512 * 1024;
/** A fast-path PDU has at most 32,767 bytes, including its headers. */
const MAX_DATA = 32_000;

/** Pixels that are encoded together, except in a longer row. */
const MAX_BAND = 64 * 1024;

const COMPRESSED = 0x0001;
const NO_HEADER = 0x0400;
const UPDATE_BITMAP = 1;

/** A bitmap with its position (TS_BITMAP_DATA, MS-RDPBCGR 2.2.9.1.1.3.1.2.2). */
interface BitmapData {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly isCompressed: boolean;
  readonly data: Buffer;
}

/**
 * Splits a bitmap update into fast-path PDUs of one rectangle, of exact size and supported
 * compression.
 * Servers pad bitmaps to a multiple of four columns, which IronRDP 0.7.0 draws skewed or crashes
 * on. It also supports neither 24-bit nor uncompressed bitmaps.
 *
 * @param update from `updateType` on (MS-RDPBCGR 2.2.9.1.1.3.1.2)
 * @throws BadPdu
 */
export function normalizeBitmaps(update: Buffer): Buffer[] {
  let decoded = 0;
  return readUpdate(update).flatMap((bitmap) => {
    const width = bitmap.right - bitmap.left + 1;
    const height = bitmap.bottom - bitmap.top + 1;
    const exact = bitmap.height === height ? withoutColumns(bitmap, width) : undefined;
    if (exact && exact.data.length <= MAX_DATA) return [writeUpdate(exact)];
    decoded += bitmap.width * bitmap.height;
    if (decoded > MAX_DECODED) throw new BadPdu('an update has too many pixels to decode');
    return updatesOf(cropPlanes(planesOf(bitmap), width, height), bitmap.left, bitmap.top);
  });
}

/** Crops a bitmap to a width while it stays compressed; undefined for encodings that cannot. */
function withoutColumns(bitmap: BitmapData, width: number): BitmapData | undefined {
  if (!bitmap.isCompressed || (bitmap.bits !== 16 && bitmap.bits !== 32)) return undefined;
  if (bitmap.width === width) return bitmap;
  const data = bitmap.bits === 32 ? trimPlanar(bitmap.data, bitmap, width) : undefined;
  return data && { ...bitmap, width, data };
}

function readUpdate(update: Buffer): BitmapData[] {
  const reader = new ByteReader(update);
  if (reader.u16() !== UPDATE_BITMAP) throw new BadPdu('this is no bitmap update');
  const count = reader.u16();
  if (count > MAX_RECTANGLES) throw new BadPdu('an update has too many rectangles');
  return Array.from({ length: count }, () => readBitmap(reader));
}

function readBitmap(reader: ByteReader): BitmapData {
  const [left, top, right, bottom, width, height, bits] = [
    reader.u16(),
    reader.u16(),
    reader.u16(),
    reader.u16(),
    reader.u16(),
    reader.u16(),
    reader.u16(),
  ];
  const flags = reader.u16();
  const length = reader.u16();
  const isCompressed = (flags & COMPRESSED) !== 0;
  const whole = new ByteReader(reader.bytes(length));
  if (isCompressed && (flags & NO_HEADER) === 0) whole.bytes(8);
  if (right < left || bottom < top || right >= MAX_SIDE || bottom >= MAX_SIDE)
    throw new BadPdu('a bitmap lies outside of any screen');
  if (width < right - left + 1 || height < bottom - top + 1)
    throw new BadPdu('a bitmap is smaller than its place');
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS)
    throw new BadPdu('a bitmap is too large');
  return { left, top, right, bottom, width, height, bits, isCompressed, data: whole.rest() };
}

function writeUpdate({ left, top, right, bottom, width, height, bits, data }: BitmapData): Buffer {
  const numbers = [
    UPDATE_BITMAP,
    1,
    left,
    top,
    right,
    bottom,
    width,
    height,
    bits,
    COMPRESSED | NO_HEADER,
    data.length,
  ];
  const bytes = allocateNext(FAST_PATH_HEAD + UPDATE_HEAD + data.length);
  writeFastPathHead(bytes, FAST_PATH_BITMAP);
  for (let index = 0; index < numbers.length; index++)
    bytes.writeUInt16LE(numbers[index] ?? 0, FAST_PATH_HEAD + index * 2);
  bytes.set(data, FAST_PATH_HEAD + UPDATE_HEAD);
  return bytes;
}

/** Writes the head of a fast-path PDU with one update, which fills the rest of it. */
export function writeFastPathHead(pdu: Buffer, kind: number): void {
  pdu.writeUInt8(0, 0);
  pdu.writeUInt16BE(0x8000 | pdu.length, 1);
  pdu.writeUInt8(kind, 3);
  pdu.writeUInt16LE(pdu.length - FAST_PATH_HEAD, 4);
}

/** Decodes a bitmap. @throws BadPdu */
function planesOf({ width, height, bits, isCompressed, data }: BitmapData): Planes {
  if (isCompressed && bits === 32) return readPlanar(data, width, height);
  if (bits === 15 || bits === 16 || bits === 24)
    return isCompressed
      ? readInterleaved(data, width, height, bits)
      : readRaw(data, width, height, bits);
  if (bits === 32) return readRaw(data, width, height, 32);
  // 8-bit color needs a palette; we negotiate at least 16 bits.
  throw new BadPdu('a bitmap has a color depth that was not agreed on');
}

/** Encodes a picture as updates: bands of rows that fit into a PDU. */
function updatesOf(planes: Planes, left: number, top: number): Buffer[] {
  const { width, height } = planes;
  const updates: Buffer[] = [];
  let rows = Math.max(1, Math.floor(MAX_BAND / width));
  for (let from = 0; from < height; ) {
    const band = rowsOfPlanes(planes, from, Math.min(rows, height - from));
    const data = writePlanar(band);
    if (data.length > MAX_DATA && band.height > 1) {
      rows = Math.max(1, Math.floor((0.9 * band.height * MAX_DATA) / data.length));
      continue;
    }
    updates.push(
      writeUpdate({
        left,
        top: top + from,
        right: left + width - 1,
        bottom: top + from + band.height - 1,
        width,
        height: band.height,
        bits: 32,
        isCompressed: true,
        data,
      }),
    );
    from += band.height;
  }
  return updates;
}
