import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BadPdu, u16 } from '../byte-reader.ts';
import { FAST_PATH_HEAD, normalizeBitmaps } from './bitmaps.ts';
import { readInterleaved, readRaw } from './interleaved.ts';
import { readPlanar, writePlanar } from './planar.ts';
import { cropPlanes, type Planes } from './planes.ts';

/** The updates of the PDUs. */
const normalized = (update: Buffer) =>
  normalizeBitmaps(update).map((pdu) => pdu.subarray(FAST_PATH_HEAD));

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

/** Pictures with runs, like screens. */
const pictures = fc
  .tuple(fc.integer({ min: 1, max: 70 }), fc.integer({ min: 1, max: 12 }))
  .chain(([width, height]) => {
    const plane = fc
      .array(fc.tuple(fc.nat({ max: 255 }), fc.integer({ min: 1, max: 60 })), {
        minLength: 1,
        maxLength: 40,
      })
      .map((pieces) => Uint8Array.from({ length: width * height }, (_, at) => pick(pieces, at)));
    return fc
      .tuple(plane, plane, plane)
      .map(([red, green, blue]): Planes => ({ width, height, red, green, blue }));
  });

function pick(pieces: readonly (readonly [number, number])[], at: number): number {
  let left = at % pieces.reduce((sum, [, length]) => sum + length, 0);
  for (const [value, length] of pieces) {
    if (left < length) return value;
    left -= length;
  }
  return 0;
}

function update(rectangle: {
  left?: number;
  width: number;
  height: number;
  paddedWidth?: number;
  paddedHeight?: number;
  bits: number;
  flags: number;
  data: Buffer;
}): Buffer {
  const {
    left = 0,
    width,
    height,
    paddedWidth = width,
    paddedHeight = height,
    bits,
    flags,
    data,
  } = rectangle;
  return Buffer.concat([
    ...[
      1,
      1,
      left,
      0,
      left + width - 1,
      height - 1,
      paddedWidth,
      paddedHeight,
      bits,
      flags,
      data.length,
    ].map(u16),
    data,
  ]);
}

function drawn(updates: readonly Buffer[], width: number, height: number): Planes {
  const screen: Planes = {
    width,
    height,
    red: new Uint8Array(width * height),
    green: new Uint8Array(width * height),
    blue: new Uint8Array(width * height),
  };
  for (const piece of updates) {
    expect(piece.length).toBeLessThan(32_100);
    const at = (index: number) => piece.readUInt16LE(index * 2);
    const [left, top, right, bottom] = [at(2), at(3), at(4), at(5)];
    expect([at(0), at(1), at(6), at(7), at(8), at(9)]).toEqual([
      1,
      1,
      right - left + 1,
      bottom - top + 1,
      32,
      0x401,
    ]);
    const part = readPlanar(piece.subarray(22), at(6), at(7));
    for (const color of ['red', 'green', 'blue'] as const)
      for (let row = 0; row < part.height; row++)
        screen[color].set(
          part[color].subarray(row * part.width, (row + 1) * part.width),
          (top + row) * width + left,
        );
  }
  return screen;
}

it(
  'decodes planar bitmaps that it has encoded',
  () => {
    fc.assert(
      fc.property(pictures, (picture) => {
        expect(readPlanar(writePlanar(picture), picture.width, picture.height)).toEqual(picture);
      }),
      runs(300),
    );
  },
  limitOf(20_000),
);

it('decodes the planar example of MS-RDPEGDI 4.2.1: row differences, runs and a plane of zeros', () => {
  const plane = hex('13ff 20fefd 60017df5c29a38 6001678ba378af');
  const zeros = hex('06 06 06');
  const picture = readPlanar(Buffer.concat([Buffer.from([0x30]), plane, zeros, zeros]), 6, 3);
  expect([...picture.red]).toEqual([
    253, 140, 62, 14, 135, 193, 254, 192, 132, 96, 75, 25, 255, 255, 255, 255, 254, 253,
  ]);
  expect(picture.green.every((value) => value === 0)).toBe(true);
});

it('decodes interleaved bitmaps with every kind of order, from bottom to top', () => {
  // Four columns. First row: black run of 2, white, black. Second row: background run of 2,
  // foreground pixel, background.
  const picture = readInterleaved(hex('02 fd fe 02 21 01'), 4, 2, 16);
  expect([...picture.red]).toEqual([0, 0, 0, 0, 0, 0, 255, 0]);
  // Color run, dithered run, raw pixels, new foreground: red, green/blue twice, white and black;
  // then red XOR the line above.
  const colors = readInterleaved(hex('61 00f8  e1 e007 1f00  82 ffff 0000  c5 00f8'), 5, 2, 16);
  expect([...colors.red.subarray(5)]).toEqual([255, 0, 0, 255, 0]);
  expect([...colors.green.subarray(5)]).toEqual([0, 255, 0, 255, 0]);
  expect([...colors.red.subarray(0, 5)]).toEqual([0, 255, 255, 0, 255]);
  // Masks: eight pixels by 3 and by 5, then by an explicit byte; 24 bits.
  const masks = readInterleaved(hex('f9 fa 41 81'), 8, 3, 24);
  expect([...masks.blue].map((value) => (value === 255 ? 1 : 0)).join('')).toBe(
    '111000010110000011000000',
  );
  // Two adjacent background runs: the second begins with the foreground. Long forms of lengths.
  const runsOf = readInterleaved(hex('f0 0300 f0 0500 00 00'), 40, 1, 16);
  expect([...runsOf.red.subarray(0, 10)]).toEqual([0, 0, 0, 255, 0, 0, 0, 0, 255, 0]);
});

it(
  'crops a padded bitmap to its place, for every compression',
  () => {
    fc.assert(
      fc.property(pictures, fc.integer({ min: 1, max: 3 }), (picture, cut) => {
        const width = Math.max(1, picture.width - cut);
        const height = Math.max(1, picture.height - 1);
        const expected = cropPlanes(picture, width, height);
        const padded = { width, height, paddedWidth: picture.width, paddedHeight: picture.height };
        expect(
          drawn(
            normalized(update({ ...padded, bits: 32, flags: 0x401, data: writePlanar(picture) })),
            width,
            height,
          ),
        ).toEqual(expected);
        const raw = Buffer.alloc(picture.width * picture.height * 4);
        for (let at = 0; at < picture.red.length; at++) {
          const row = picture.height - 1 - Math.floor(at / picture.width);
          raw.set(
            [picture.blue[at] ?? 0, picture.green[at] ?? 0, picture.red[at] ?? 0, 0],
            (row * picture.width + (at % picture.width)) * 4,
          );
        }
        expect(
          drawn(normalized(update({ ...padded, bits: 32, flags: 0, data: raw })), width, height),
        ).toEqual(expected);
      }),
      runs(150),
    );
  },
  limitOf(20_000),
);

it('passes a matching bitmap unchanged, and splits a large one into bands', () => {
  const data = hex('61 00f8 61 00f8');
  const passed = normalized(update({ width: 2, height: 1, bits: 16, flags: 0x401, data }));
  expect(passed).toHaveLength(1);
  expect(passed[0]?.subarray(22).equals(data)).toBe(true);
  const width = 640;
  const height = 60;
  const noise = (seed: number) => {
    let state = seed;
    return Uint8Array.from({ length: width * height }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return state >>> 24;
    });
  };
  const picture = { width, height, red: noise(1), green: noise(2), blue: noise(3) };
  // Uncompressed 24-bit rows fit their length here; re-encoded, they need bands.
  const raw = Buffer.alloc(width * 30 * 3);
  for (let at = 0; at < width * 30; at++) {
    const row = 29 - Math.floor(at / width);
    raw.set(
      [picture.blue[at] ?? 0, picture.green[at] ?? 0, picture.red[at] ?? 0],
      (row * width + (at % width)) * 3,
    );
  }
  const bands = normalized(update({ width, height: 30, bits: 24, flags: 0, data: raw }));
  expect(bands.length).toBeGreaterThan(1);
  expect(drawn(bands, width, 30)).toEqual(cropPlanes(picture, width, 30));
});

it(
  'decodes or rejects random bitmaps',
  () => {
    const shapes = fc.record({
      width: fc.integer({ min: 1, max: 40 }),
      height: fc.integer({ min: 1, max: 40 }),
      data: fc.uint8Array({ maxLength: 400 }),
    });
    fc.assert(
      fc.property(
        shapes,
        fc.constantFrom(8, 15, 16, 24, 32),
        fc.constantFrom(0, 1, 0x400, 0x401),
        ({ width, height, data }, bits, flags) => {
          onlyBadPdu(() =>
            normalized(
              update({
                width,
                height,
                paddedWidth: width + 1,
                bits,
                flags,
                data: Buffer.from(data),
              }),
            ),
          );
          onlyBadPdu(() => readRaw(Buffer.from(data), width, height, 16));
        },
      ),
      runs(1500),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) =>
        onlyBadPdu(() => normalized(Buffer.concat([u16(1), Buffer.from(bytes)]))),
      ),
      runs(500),
    );
  },
  limitOf(20_000),
);

it('rejects a bitmap with more pixels than a screen', () => {
  expect(() =>
    normalized(
      update({
        width: 1,
        height: 1,
        paddedWidth: 60_000,
        paddedHeight: 60_000,
        bits: 32,
        flags: 0,
        data: Buffer.alloc(4),
      }),
    ),
  ).toThrow(BadPdu);
  expect(() => normalized(Buffer.concat([u16(1), u16(60_000)]))).toThrow(BadPdu);
});

function onlyBadPdu(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof BadPdu)) throw error;
  }
}
