import { KEY_VALUE, type RecordedKey, readKey, writeKey } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { type TimedKey, typedTexts } from './typed-texts.ts';

const press = (kind: RecordedKey['kind'], at: number, ...values: readonly number[]): TimedKey[] => [
  ...values.map((value): TimedKey => ({ kind, value, at, isDown: true })),
  ...values.toReversed().map((value): TimedKey => ({ kind, value, at, isDown: false })),
];
const { keysym, scanCode, character } = KEY_VALUE;
const inputs = (keys: readonly TimedKey[]) =>
  typedTexts(keys).map(({ input, offset_seconds }) => [input, offset_seconds]);

describe('the keys of a recorded desktop', () => {
  it('groups keys into texts up to Enter or a pause, with the time of the first key', () => {
    const keys = [
      ...press(keysym, 1, 0x6c),
      ...press(keysym, 2, 0x73),
      ...press(keysym, 3, 0xff0d),
      ...press(keysym, 3.5, 0xffe1, 0x41),
      ...press(keysym, 4, 0xff08),
      ...press(keysym, 20, 0x01004f60),
      ...press(keysym, 20, 0xffb7),
    ];
    expect(inputs(keys)).toEqual([
      ['ls[Enter]', 1],
      ['A[Backspace]', 3.5],
      ['你7', 20],
    ]);
  });

  it('names scan codes as on a US keyboard, with Shift, and keeps characters', () => {
    const keys = [
      ...press(scanCode, 1, 0x1e),
      ...press(scanCode, 1, 0x2a, 0x1e),
      ...press(scanCode, 1, 0x36, 0x02),
      ...press(scanCode, 1, 0x39),
      ...press(character, 1, 0xe9),
    ];
    expect(inputs(keys)).toEqual([['aA! é', 1]]);
  });

  it('names keys together with their modifiers', () => {
    const keys = [
      ...press(scanCode, 1, 0x1d, 0x38, 0xe053),
      ...press(keysym, 1, 0xffe3, 0x63),
      ...press(keysym, 1, 0xffe1, 0xff09),
      ...press(keysym, 1, 0xfe03, 0x40),
      ...press(scanCode, 1, 0x1d, 0x39),
      ...press(keysym, 1, 0xffbe + 4),
      ...press(scanCode, 1, 0xe04b),
      ...press(keysym, 1, 0x1234),
    ];
    expect(inputs(keys)).toEqual([
      ['[Ctrl+Alt+Delete][Ctrl+C][Shift+Tab]@[Ctrl+Space][F5][Left][0x1234]', 1],
    ]);
  });

  it('splits long texts to fit a list', () => {
    const texts = typedTexts(Array.from({ length: 450 }, () => press(keysym, 1, 0x78)).flat());
    expect(texts.map(({ input }) => input.length)).toEqual([200, 200, 50]);
  });

  it('reads recorded keys as written, and skips invalid ones', () => {
    const key: RecordedKey = { kind: scanCode, isDown: true, value: 0xe053 };
    expect(readKey(writeKey(key))).toEqual(key);
    expect([readKey(new Uint8Array(5)), readKey(new Uint8Array(6))]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
