import { expect, it } from 'vitest';
import { WholeCharacters } from './whole-characters.ts';

const TEXT = 'a“引号”、。é\u00a0ꀂက😀\u{10000}\u{f0000}z';
const HEX = 16;

const bytesOf = (text: string) =>
  [...encodeURIComponent(text).matchAll(/%(..)|(.)/g)].map(([, code, letter = '']) =>
    code ? Number.parseInt(code, HEX) : letter.charCodeAt(0),
  );

/** @throws URIError if a character is incomplete */
const textOf = (bytes: readonly number[]) =>
  decodeURIComponent(bytes.map((byte) => `%${byte.toString(HEX).padStart(2, '0')}`).join(''));

/** The pieces that come out for pieces of these lengths. */
function taken(bytes: readonly number[], size: number): readonly (readonly number[])[] {
  const characters = new WholeCharacters();
  const pieces: number[][] = [];
  for (let from = 0; from < bytes.length; from += size)
    pieces.push([...characters.take(Uint8Array.from(bytes.slice(from, from + size)))]);
  return pieces;
}

it.each([1, 2, 3, 4, 5, 7])('passes all bytes in whole characters from pieces of %i', (size) => {
  expect(taken(bytesOf(TEXT), size).map(textOf).join('')).toBe(TEXT);
});

it.each([
  ['a byte that continues nothing', [0x41, 0x80, 0x80, 0x80, 0x80, 0x42]],
  ['a letter instead of the rest of a character', [0xe4, 0x41, 0xf0, 0x9f, 0x42]],
  ['a byte that begins no character', [0xff, 0x41, 0x42, 0x43, 0x44]],
])('passes %s', (_what, bytes) => {
  for (const size of [1, 2, 3]) expect(taken(bytes, size).flat()).toEqual(bytes);
});

it('keeps at most three bytes, and drops them at a gap', () => {
  const characters = new WholeCharacters();
  expect([...characters.take(Uint8Array.from([0x41, 0xf0, 0x9f, 0x98]))]).toEqual([0x41]);
  characters.forget();
  expect([...characters.take(Uint8Array.from([0x42]))]).toEqual([0x42]);
});
