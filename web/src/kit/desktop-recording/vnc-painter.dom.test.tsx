import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pixels } from './pixels.ts';
import { VncPainter } from './vnc-painter.ts';

const RED = [255, 0, 0, 0];
const GREEN = [0, 255, 0, 0];
const BLUE = [0, 0, 255, 0];

/** Builds a message of one rectangle. */
function rectangle(
  [x, y, width, height]: readonly [number, number, number, number],
  encoding: number,
  ...content: readonly number[]
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16 + content.length);
  const view = new DataView(bytes.buffer);
  view.setUint16(2, 1);
  for (const [index, value] of [x, y, width, height].entries())
    view.setUint16(4 + index * 2, value);
  view.setInt32(12, encoding);
  bytes.set(content, 16);
  return bytes;
}

/** Draws messages on a desktop and returns its pixels as letters, row by row. */
function drawn(
  width: number,
  height: number,
  ...messages: readonly Uint8Array<ArrayBuffer>[]
): string {
  const pixels = new Pixels(width, height);
  const painter = new VncPainter(pixels);
  for (const message of messages) painter.draw(message);
  return lettersOf(pixels);
}

function lettersOf(pixels: Pixels): string {
  const letters = Array.from({ length: pixels.width * pixels.height }, (_, at) => {
    const [red, green, blue, opacity] = pixels.bytes.subarray(at * 4, at * 4 + 4);
    return opacity === 0 ? '.' : red ? 'r' : green ? 'g' : blue ? 'b' : 'k';
  });
  return (letters.join('').match(new RegExp(`.{${pixels.width}}`, 'g')) ?? []).join(' ');
}

describe('a recorded desktop of VNC', () => {
  it('draws raw pixels, solid rectangles, and copies that overlap in any direction', () => {
    const row = rectangle([0, 0, 3, 1], 0, ...RED, ...GREEN, ...BLUE);
    expect(drawn(3, 2, row)).toBe('rgb ...');
    expect(drawn(3, 2, row, rectangle([0, 1, 3, 1], 1, 0, 0, 0, 0))).toBe('rgb rgb');
    expect(drawn(3, 2, row, rectangle([1, 0, 2, 1], 1, 0, 0, 0, 0))).toBe('rrg ...');
    expect(drawn(3, 2, row, rectangle([0, 0, 2, 1], 1, 0, 1, 0, 0))).toBe('gbb ...');
    const column = rectangle([0, 0, 1, 3], 0, ...RED, ...GREEN, ...BLUE);
    expect(drawn(1, 4, column, rectangle([0, 1, 1, 3], 1, 0, 0, 0, 0))).toBe('r r g b');
    expect(drawn(1, 4, column, rectangle([0, 0, 1, 2], 1, 0, 0, 0, 1))).toBe('g b b .');
    expect(
      drawn(3, 2, rectangle([0, 0, 3, 2], 2, 0, 0, 0, 1, ...RED, ...BLUE, 0, 1, 0, 1, 0, 2, 0, 1)),
    ).toBe('rrr rbb');
    expect(
      drawn(3, 2, rectangle([0, 0, 3, 2], 5, 2 | 4 | 8, ...GREEN, ...BLUE, 1, 0x00, 0x01)),
    ).toBe('bgg bgg');
    expect(drawn(2, 1, rectangle([0, 0, 2, 1], 7, 0x80, 0, 0, 255))).toBe('bb');
    // Two colors, one bit per pixel.
    expect(
      drawn(
        3,
        2,
        rectangle([0, 0, 3, 2], 7, 0x40, 1, 1, 255, 0, 0, 0, 255, 0, 0b0100_0000, 0b1010_0000),
      ),
    ).toBe('rgr grg');
  });

  it('keeps the common pixels on a resize, ignores pointer shapes and rejected sizes, and clips drawing', () => {
    const row = rectangle([0, 0, 3, 1], 0, ...RED, ...GREEN, ...BLUE);
    expect(drawn(3, 1, row, rectangle([0, 0, 2, 2], -223))).toBe('rg ..');
    expect(drawn(3, 1, row, rectangle([0, 0, 4, 1], -308, 0, 0, 0, 0))).toBe('rgb.');
    expect(drawn(3, 1, row, rectangle([1, 3, 9, 9], -308, 0, 0, 0, 0))).toBe('rgb');
    expect(drawn(3, 1, row, rectangle([0, 0, 1, 1], -239, ...RED, 0x80))).toBe('rgb');
    expect(drawn(3, 1, rectangle([2, 0, 3, 1], 0, ...RED, ...GREEN, ...BLUE))).toBe('..r');
    expect(drawn(3, 1, row, rectangle([2, 0, 3, 1], 1, 0, 1, 0, 0))).toBe('rgg');
    expect(drawn(3, 1, rectangle([5, 5, 3, 3], 7, 0x80, 0, 0, 255))).toBe('...');
  });

  it('reports a short message, an impossible size and an unknown encoding as damage, and never writes outside its buffer', () => {
    for (const damaged of [
      rectangle([0, 0, 3, 1], 0, ...RED),
      rectangle([0, 0, 0, 0], -223),
      rectangle([0, 0, 65_535, 65_535], -223),
      rectangle([0, 0, 1, 1], 50, 0, 0, 0, 0),
      rectangle([0, 0, 1, 1], 7, 0x90, 1, 0),
      new Uint8Array([2]),
    ])
      expect(() => drawn(3, 1, damaged)).toThrow();
    const size = fc.nat(40);
    const encoding = fc.constantFrom(0, 1, 2, 5, 7, 16, -239, -308);
    fc.assert(
      fc.property(
        fc.tuple(size, size, size, size),
        encoding,
        fc.uint8Array({ maxLength: 400 }),
        (place, kind, content) => {
          const pixels = new Pixels(20, 20);
          try {
            new VncPainter(pixels).draw(rectangle(place, kind, ...content));
          } catch {
            // Damaged.
          }
          expect(pixels.bytes.length).toBe(pixels.width * pixels.height * 4);
        },
      ),
    );
  });
});
