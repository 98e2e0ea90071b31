import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BadPdu } from '../byte-reader.ts';
import { readPlanar } from './planar.ts';
import { cropPlanes } from './planes.ts';
import { trimPlanar } from './trim-planar.ts';

const RUNS = 0x10;
const NO_ALPHA = 0x20;

/** Segments of every length and kind, as servers may choose them. */
const segments = fc.array(
  fc.record({ raw: fc.nat({ max: 15 }), run: fc.nat({ max: 47 }), seed: fc.nat({ max: 255 }) }),
  { minLength: 1, maxLength: 30 },
);
type Segments = readonly { readonly raw: number; readonly run: number; readonly seed: number }[];

/** Encodes one row from a cycle of segments. */
function rowOf(cycle: Segments, width: number, shift: number): number[] {
  const bytes: number[] = [];
  for (let column = 0, index = shift; column < width; index++) {
    const {
      raw: wantedRaw,
      run: wantedRun,
      seed,
    } = cycle[index % cycle.length] ?? cycle[0] ?? none;
    const raw = Math.min(wantedRaw, width - column);
    let run = Math.min(wantedRun, width - column - raw, raw > 0 ? 15 : 47);
    if (run < 3) run = 0;
    if (raw === 0 && run > 15) bytes.push(((run & 15) << 4) | (run >> 4));
    else if (raw + run > 0) bytes.push((raw << 4) | run);
    else bytes.push(0x10, seed);
    for (let count = 0; count < raw; count++) bytes.push((seed + count * 3) & 255);
    column += Math.max(1, raw + run);
  }
  return bytes;
}
const none = { raw: 1, run: 0, seed: 0 };

const bitmaps = fc
  .record({
    width: fc.integer({ min: 1, max: 120 }),
    height: fc.integer({ min: 1, max: 5 }),
    cut: fc.integer({ min: 1, max: 60 }),
    cycle: segments,
    hasAlpha: fc.boolean(),
  })
  .map(({ width, height, cut, cycle, hasAlpha }) => {
    const rows = height * (hasAlpha ? 4 : 3);
    const body = Array.from({ length: rows }, (_, row) => rowOf(cycle, width, row)).flat();
    const format = RUNS | (hasAlpha ? 0 : NO_ALPHA);
    return { width, height, kept: Math.max(1, width - cut), data: Buffer.from([format, ...body]) };
  });

/** Returns the result, or the message of the refusal. */
function attempt<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof BadPdu) return error.message;
    throw error;
  }
}

function expectSame(data: Buffer, width: number, height: number, kept: number): void {
  const expected = attempt(() => cropPlanes(readPlanar(data, width, height), kept, height));
  const trimmed = attempt(() => trimPlanar(data, { width, height }, kept));
  // Without run lengths, the decoder handles the bitmap.
  if (trimmed === undefined) return;
  if (typeof trimmed === 'string') expect(trimmed).toBe(expected);
  else expect(readPlanar(trimmed, kept, height)).toEqual(expected);
}

it(
  'keeps the pixels of the remaining columns for every segmentation',
  () => {
    fc.assert(
      fc.property(bitmaps, ({ data, width, height, kept }) => {
        expect(typeof attempt(() => readPlanar(data, width, height))).toBe('object');
        expectSame(data, width, height, kept);
        expect(trimPlanar(data, { width, height }, kept)?.length).toBeLessThanOrEqual(
          data.length + 9 * height,
        );
      }),
      runs(500),
    );
  },
  limitOf(20_000),
);

it(
  'rejects a truncated or changed bitmap exactly when the decoder rejects it',
  () => {
    fc.assert(
      fc.property(bitmaps, fc.nat(), fc.nat({ max: 255 }), ({ data, ...sizes }, place, value) => {
        const { width, height, kept } = sizes;
        for (let end = 0; end < data.length; end += 1 + Math.floor(data.length / 40))
          expectSame(data.subarray(0, end), width, height, kept);
        const changed = Buffer.from(data);
        changed[place % data.length] = value;
        expectSame(changed, width, height, kept);
      }),
      runs(300),
    );
  },
  limitOf(20_000),
);

it('cuts a run to one and two values, next to full raw bytes too', () => {
  const raw = Array.from({ length: 15 }, (_, index) => index + 1);
  const plane = [0xff, ...raw, 0x03];
  const data = Buffer.from([RUNS | NO_ALPHA, ...plane, ...plane, ...plane]);
  for (const kept of [1, 14, 15, 16, 17, 18, 29, 30, 31, 32]) expectSame(data, 33, 1, kept);
});
