import { BadPdu, ByteReader } from '../byte-reader.ts';
import { blackPlanes, type Planes } from './planes.ts';

/** Bits of the format header (MS-RDPEGDI 2.2.2.5.1). */
const LEVEL_OF_LOSS = 0x07;
const HALF_CHROMA = 0x08;
const RUN_LENGTHS = 0x10;
export const NO_ALPHA = 0x20;

/**
 * Reads the format header of a planar bitmap. Rejects lossy ones, which we never negotiate.
 * @throws BadPdu
 */
export function formatOfPlanar(bytes: Uint8Array): {
  readonly format: number;
  readonly hasRuns: boolean;
  readonly hasAlpha: boolean;
} {
  const [format] = bytes;
  if (format === undefined) throw new BadPdu('a message ends too early');
  if ((format & (LEVEL_OF_LOSS | HALF_CHROMA)) !== 0)
    throw new BadPdu('a bitmap has colors that were not agreed on');
  return {
    format,
    hasRuns: (format & RUN_LENGTHS) !== 0,
    hasAlpha: (format & NO_ALPHA) === 0,
  };
}

/**
 * Decodes planar bitmaps of 32 bits: one plane after another, rows from bottom to top (MS-RDPEGDI
 * 3.1.9).
 * @throws BadPdu
 */
export function readPlanar(bytes: Buffer, width: number, height: number): Planes {
  const { hasRuns, hasAlpha } = formatOfPlanar(bytes);
  const reader = new ByteReader(bytes.subarray(1));
  const planes = blackPlanes(width, height);
  const read = hasRuns ? readRuns : readWhole;
  if (hasAlpha) read(reader, new Uint8Array(width * height), width, height);
  for (const plane of [planes.red, planes.green, planes.blue]) read(reader, plane, width, height);
  return planes;
}

function readWhole(reader: ByteReader, plane: Uint8Array, width: number, height: number): void {
  for (let row = height - 1; row >= 0; row--) plane.set(reader.bytes(width), row * width);
}

/**
 * Decodes the RLE segments of a plane: raw bytes, then a run of the last one. From the second row
 * on, values are differences to the previous row.
 */
function readRuns(reader: ByteReader, plane: Uint8Array, width: number, height: number): void {
  for (let row = height - 1; row >= 0; row--) {
    const isFirst = row === height - 1;
    const start = row * width;
    let value = 0;
    let column = 0;
    const put = (next: number) => {
      const before = isFirst ? 0 : (plane[start + width + column] ?? 0);
      plane[start + column++] = isFirst
        ? next
        : (before + (next & 1 ? -((next >> 1) + 1) : next >> 1)) & 255;
    };
    while (column < width) {
      const control = reader.u8();
      let run = control & 15;
      let raw = control >> 4;
      if (run === 1 || run === 2) {
        run = run * 16 + raw;
        raw = 0;
      }
      if (run + raw === 0 || column + run + raw > width)
        throw new BadPdu('a run of a bitmap does not fit its row');
      for (; raw > 0; raw--) {
        value = reader.u8();
        put(value);
      }
      for (; run > 0; run--) put(value);
    }
  }
}

let scratch = Buffer.alloc(0);

/** Encodes a picture without loss. The next call overwrites the result. */
export function writePlanar(planes: Planes): Buffer {
  const { width, height, red, green, blue } = planes;
  // At most one control byte per byte of a plane.
  const most = 1 + 6 * width * height;
  if (scratch.length < most) scratch = Buffer.allocUnsafeSlow(most);
  const bytes = scratch;
  bytes.writeUInt8(RUN_LENGTHS | NO_ALPHA, 0);
  let at = 1;
  for (const plane of [red, green, blue]) at = writeRuns(bytes, at, plane, planes);
  return bytes.subarray(0, at);
}

const MAX_RUN = 47;
const MAX_RAW = 15;

function writeRuns(
  bytes: Buffer,
  from: number,
  plane: Uint8Array,
  { width, height }: Pick<Planes, 'width' | 'height'>,
): number {
  let at = from;
  const values = new Uint8Array(width);
  for (let row = height - 1; row >= 0; row--) {
    const start = row * width;
    if (row === height - 1) values.set(plane.subarray(start, start + width));
    else
      for (let column = 0; column < width; column++)
        values[column] =
          FOLDED[((plane[start + column] ?? 0) - (plane[start + width + column] ?? 0)) & 255] ?? 0;
    let last = 0;
    for (let column = 0; column < width; ) {
      const begin = column;
      const end = Math.min(width, begin + MAX_RAW);
      while (column < end && !beginsRun(values, column, last)) last = values[column++] ?? 0;
      const raw = column - begin;
      const run = beginsRun(values, column, last)
        ? runFrom(values, column, last, raw > 0 ? MAX_RAW : MAX_RUN)
        : 0;
      column += run;
      if (raw === 0 && run > MAX_RAW) {
        const base = run >= 32 ? 2 : 1;
        bytes[at++] = ((run - base * 16) << 4) | base;
        continue;
      }
      bytes[at++] = (raw << 4) | run;
      for (let index = begin; index < begin + raw; index++) bytes[at++] = values[index] ?? 0;
    }
  }
  return at;
}

/** Returns true if three values from an index on equal `last`. Shorter runs save no byte. */
function beginsRun(values: Uint8Array, from: number, last: number): boolean {
  return values[from] === last && values[from + 1] === last && values[from + 2] === last;
}

/** Counts the values that equal `last`, from an index on. */
function runFrom(values: Uint8Array, from: number, last: number, most: number): number {
  const limit = Math.min(values.length, from + most);
  let end = from;
  while (end < limit && values[end] === last) end++;
  return end - from;
}

/** Each byte difference with its sign in the lowest bit. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, difference) =>
  difference < 128 ? difference * 2 : (256 - difference) * 2 - 1,
);
