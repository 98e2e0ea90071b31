import { RECORD } from '@sallyport/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Effect, effectOf } from './effects.ts';
import { type KnownPiece, neededPieces, piecesAcross, piecesBetween } from './needed-pieces.ts';

const WIDTH = 12;
const HEIGHT = 9;
const SIZE = { width: WIDTH, height: HEIGHT };

/**
 * Draws pieces. Each paints with its own number, so two pictures are equal only if every pixel
 * comes from the same piece.
 */
function drawn(
  pieces: readonly KnownPiece[],
  indexes: Iterable<number>,
  on: readonly number[] = new Array<number>(WIDTH * HEIGHT).fill(0),
): number[] {
  let picture = [...on];
  for (const index of indexes) {
    const effect = pieces[index]?.effect;
    if (effect?.kind !== 'paint' && effect?.kind !== 'copy') continue;
    const before = picture;
    const { x, y, width, height } = effect.place;
    picture = picture.map((old, at) => {
      const [column, row] = [at % WIDTH, Math.floor(at / WIDTH)];
      if (column < x || row < y || column >= x + width || row >= y + height) return old;
      return effect.kind === 'paint'
        ? index + 1
        : (before[(effect.fromY + row - y) * WIDTH + effect.fromX + column - x] ?? 0);
    });
  }
  return picture;
}

const place = fc
  .tuple(
    fc.nat(WIDTH - 1),
    fc.nat(HEIGHT - 1),
    fc.integer({ min: 1, max: WIDTH }),
    fc.integer({ min: 1, max: HEIGHT }),
  )
  .map(([x, y, width, height]) => ({
    x,
    y,
    width: Math.min(width, WIDTH - x),
    height: Math.min(height, HEIGHT - y),
  }));
const paint = place.map((where): Effect => ({ kind: 'paint', place: where }));
const copy = fc.tuple(place, fc.nat(WIDTH - 1), fc.nat(HEIGHT - 1)).map(([where, x, y]): Effect => {
  const fromX = Math.min(x, WIDTH - where.width);
  const fromY = Math.min(y, HEIGHT - where.height);
  return { kind: 'copy', place: where, fromX, fromY };
});
const message = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: paint },
      { weight: 3, arbitrary: copy },
      fc.constant<Effect>({ kind: 'none' }),
    ),
    fc.nat(2),
  )
  .map(([effect, more]): KnownPiece[] => [
    { kind: more > 0 ? RECORD.part : RECORD.picture, effect },
    ...Array.from(
      { length: more },
      (_, index): KnownPiece => ({ kind: index === more - 1 ? RECORD.picture : RECORD.part }),
    ),
  ]);

describe('the pieces that a moment needs', () => {
  it('selects pieces that show the same picture as all pieces, in order, whatever was painted and copied', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 40 }), (messages) => {
        const pieces: KnownPiece[] = [
          { kind: RECORD.picture, effect: { kind: 'paint', place: { x: 0, y: 0, ...SIZE } } },
          ...messages.flat(),
        ];
        const needed = neededPieces(pieces, pieces.length, SIZE);
        expect(needed).toEqual([...new Set(needed)].sort((one, other) => one - other));
        expect(drawn(pieces, needed)).toEqual(drawn(pieces, pieces.keys()));
        // A message is needed as a whole.
        for (const index of needed) if (!pieces[index]?.effect) expect(needed).toContain(index - 1);
      }),
    );
  });

  it('selects pieces that turn one moment into another without a restart when every pixel was painted', () => {
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 40 }),
        fc.nat(),
        fc.nat(),
        (messages, one, other) => {
          const begun: KnownPiece[][] = [
            [{ kind: RECORD.picture, effect: { kind: 'paint', place: { x: 0, y: 0, ...SIZE } } }],
            ...messages,
          ];
          const pieces = begun.flat();
          const endOf = (count: number) => begun.slice(0, 1 + (count % begun.length)).flat().length;
          const [from, until] = [endOf(one), endOf(other)];
          const across = piecesAcross(pieces, from, until, SIZE) ?? [];
          const picture = drawn(pieces, Array(from).keys());
          expect(drawn(pieces, across, picture)).toEqual(drawn(pieces, Array(until).keys()));
        },
      ),
    );
  });

  it('selects complete messages and their dependencies for each step of playback, wherever the step is cut', () => {
    const chained = place.map(
      (where): Effect => ({ kind: 'paint', place: where, isChained: true }),
    );
    const any = fc.oneof(
      { weight: 8, arbitrary: message },
      chained.map((effect): KnownPiece[] => [{ kind: RECORD.picture, effect }]),
      fc.constant<KnownPiece[]>([{ kind: RECORD.picture, effect: { kind: 'setting' } }]),
      fc.constant<KnownPiece[]>([{ kind: RECORD.pointer }]),
    );
    fc.assert(
      fc.property(fc.array(any, { maxLength: 40 }), fc.array(fc.nat(120)), (messages, cuts) => {
        const pieces = messages.flat();
        const ends = [
          ...new Set([...cuts.filter((cut) => cut < pieces.length), pieces.length]),
        ].sort((one, other) => one - other);
        const kept: number[] = [];
        let picture = drawn(pieces, []);
        for (const [step, until] of ends.entries()) {
          const from = ends[step - 1] ?? 0;
          const needed = piecesBetween(pieces, from, until);
          expect(needed).toEqual([...new Set(needed)].sort((one, other) => one - other));
          expect(needed.every((index) => index >= from && index < until)).toBe(true);
          picture = drawn(pieces, needed, picture);
          expect(picture).toEqual(drawn(pieces, Array(until).keys()));
          // Only the last pointer position is needed.
          const pointers = pieces
            .keys()
            .filter(
              (index) => index >= from && index < until && pieces[index]?.kind === RECORD.pointer,
            );
          expect(needed.filter((index) => pieces[index]?.kind === RECORD.pointer)).toEqual(
            [...pointers].slice(-1),
          );
          kept.push(...needed);
        }
        for (const [index, { kind, effect }] of pieces.entries()) {
          if (effect?.kind === 'setting' || (effect?.kind === 'paint' && effect.isChained))
            expect(kept).toContain(index);
          if (kind !== RECORD.pointer && !effect)
            expect(kept.includes(index)).toBe(kept.includes(index - 1));
        }
      }),
    );
  });

  it('leaves out pieces that a step paints over, and none when areas exceed any desktop', () => {
    const at = (x: number, width = 4): KnownPiece => ({
      kind: RECORD.picture,
      effect: { kind: 'paint', place: { x, y: 0, width, height: 9 } },
    });
    expect(piecesBetween([at(0), at(4), at(2), at(0), at(4)], 1, 5)).toEqual([3, 4]);
    expect(
      piecesBetween([at(0), { kind: RECORD.picture, effect: { kind: 'setting' } }, at(0)], 0, 3),
    ).toEqual([0, 1, 2]);
    expect(piecesBetween([at(0), { kind: RECORD.part, effect: at(0).effect }], 0, 2)).toEqual([
      0, 1,
    ]);
    const wide: KnownPiece = {
      kind: RECORD.picture,
      effect: { kind: 'paint', place: { x: 0, y: 0, width: 65_535, height: 65_535 } },
    };
    expect(piecesBetween([at(0), wide, wide], 0, 3)).toEqual([0, 1, 2]);
  });

  it('restarts across settings, inside a message, before the first full picture, and to hide the pointer', () => {
    const whole = { x: 0, y: 0, ...SIZE };
    const picture = (effect: Effect): KnownPiece => ({ kind: RECORD.picture, effect });
    const paint = picture({ kind: 'paint', place: whole });
    const part = picture({ kind: 'paint', place: { ...whole, width: 3 } });
    const pieces: KnownPiece[] = [
      picture({ kind: 'setting' }),
      part,
      paint,
      { kind: RECORD.pointer },
      paint,
      part,
    ];
    expect(piecesAcross(pieces, 6, 5, SIZE)).toEqual([3, 4]);
    expect(piecesAcross(pieces, 4, 6, SIZE)).toEqual([3, 4, 5]);
    expect(piecesAcross(pieces, 6, 3, SIZE)).toBeUndefined();
    expect(piecesAcross(pieces, 3, 2, SIZE)).toBeUndefined();
    expect(piecesAcross(pieces, 3, 0, SIZE)).toBeUndefined();
    const cut: KnownPiece[] = [
      ...pieces,
      { kind: RECORD.part, effect: { kind: 'paint', place: whole } },
      { kind: RECORD.picture },
    ];
    expect(piecesAcross(cut, 7, 6, SIZE)).toBeUndefined();
    expect(piecesAcross(cut, 6, 7, SIZE)).toBeUndefined();
    expect(piecesAcross(cut, 6, 8, SIZE)).toEqual([3, 6, 7]);
    const chained = [...pieces, picture({ kind: 'paint', place: whole, isChained: true })];
    expect(piecesAcross(chained, 7, 6, SIZE)).toBeUndefined();
  });

  it('leaves out invisible pieces, and keeps the last pointer, settings, dependencies and a cut message', () => {
    const whole = { x: 0, y: 0, ...SIZE };
    const picture = (effect: Effect): KnownPiece => ({ kind: RECORD.picture, effect });
    const pieces: KnownPiece[] = [
      picture({ kind: 'setting' }),
      picture({ kind: 'paint', place: whole }),
      { kind: RECORD.pointer },
      picture({ kind: 'paint', place: whole, isChained: true }),
      picture({ kind: 'paint', place: whole }),
      { kind: RECORD.pointer },
      { kind: RECORD.part, effect: { kind: 'paint', place: whole } },
    ];
    expect(neededPieces(pieces, 6, SIZE)).toEqual([0, 3, 4, 5]);
    expect(neededPieces(pieces, 7, SIZE)).toEqual([0, 3, 4, 5, 6]);
    // A new size starts a new picture; unpainted areas keep their pixels.
    const resized = [
      ...pieces.slice(0, 6),
      picture({ kind: 'setting', width: 6, height: 4 }),
      picture({ kind: 'paint', place: { x: 0, y: 0, width: 6, height: 4 } }),
    ];
    expect(neededPieces(resized, 8, SIZE)).toEqual([0, 3, 5, 6, 7]);
    expect(neededPieces(resized, 7, SIZE)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  it('reads the effects of messages of both protocols', () => {
    const vnc = (encoding: number, ...more: number[]) =>
      new Uint8Array([
        0,
        0,
        0,
        1,
        0,
        1,
        0,
        2,
        0,
        3,
        0,
        4,
        ...[24, 16, 8, 0].map((bits) => (encoding >> bits) & 255),
        ...more,
      ]);
    const at = { x: 1, y: 2, width: 3, height: 4 };
    expect(effectOf('vnc', vnc(7))).toEqual({ kind: 'paint', place: at, isChained: false });
    expect(effectOf('vnc', vnc(16))).toEqual({ kind: 'paint', place: at, isChained: true });
    expect(effectOf('vnc', vnc(1, 0, 5, 0, 6))).toEqual({
      kind: 'copy',
      place: at,
      fromX: 5,
      fromY: 6,
    });
    expect(effectOf('vnc', vnc(1, 0))).toEqual({ kind: 'setting' });
    expect(effectOf('vnc', vnc(-223))).toEqual({ kind: 'setting', width: 3, height: 4 });
    expect(effectOf('vnc', vnc(-308))).toEqual({ kind: 'none' });
    expect(effectOf('vnc', vnc(-239))).toEqual({ kind: 'none' });
    const bitmap = [0, 0x80, 30, 1, 24, 0, 1, 0, 1, 0, 1, 0, 2, 0, 3, 0, 5, 0];
    expect(effectOf('rdp', new Uint8Array(bitmap))).toEqual({ kind: 'paint', place: at });
    expect(effectOf('rdp', new Uint8Array([0, 9, 5, 0, 0, 0, 0, 0, 0]))).toEqual({ kind: 'none' });
    expect(effectOf('rdp', new Uint8Array([3, 0, 0, 9, 0, 0, 0, 0, 0]))).toEqual({
      kind: 'setting',
    });
  });
});
