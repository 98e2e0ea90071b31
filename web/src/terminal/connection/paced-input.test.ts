import { INPUT_WINDOW } from '@sallyport/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PacedInput } from './paced-input.ts';

const FRAME = 32 * 1024;

function startInput() {
  const frames: Uint8Array[] = [];
  return {
    frames,
    sent: () => frames.reduce((sum, { byteLength }) => sum + byteLength, 0),
    input: new PacedInput((frame) => frames.push(frame)),
  };
}

it('sends everything in frames where the server says nothing of a window', () => {
  const { input, frames, sent } = startInput();
  input.push(new Uint8Array(3 * INPUT_WINDOW));
  expect(sent()).toBe(3 * INPUT_WINDOW);
  expect(Math.max(...frames.map(({ byteLength }) => byteLength))).toBe(FRAME);
});

it('keeps what is more than the window, and sends it in its order as the target takes it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: INPUT_WINDOW }), { minLength: 1, maxLength: 20 }),
      (lengths) => {
        const { input, frames, sent } = startInput();
        input.taken(0);
        const all = lengths.map((length, at) => new Uint8Array(length).fill(at + 4));
        for (const piece of all) input.push(piece);
        const total = lengths.reduce((sum, length) => sum + length, 0);
        for (let taken = 0; taken < total; input.taken(taken)) {
          expect(sent() - taken).toBeLessThan(INPUT_WINDOW + FRAME);
          expect(sent()).toBeGreaterThan(taken);
          taken = sent();
        }
        expect(Buffer.concat(frames).equals(Buffer.concat(all))).toBe(true);
      },
    ),
    { numRuns: 30 },
  );
});

it('lets Ctrl-C overtake and drop what waits, and nothing else', () => {
  const { input, frames, sent } = startInput();
  input.taken(0);
  input.push(new Uint8Array(2 * INPUT_WINDOW).fill(65));
  input.push(Uint8Array.of(66));
  expect(sent()).toBe(INPUT_WINDOW);
  input.push(Uint8Array.of(3));
  expect(frames.at(-1)).toEqual(Uint8Array.of(3));
  input.taken(sent());
  expect(sent()).toBe(INPUT_WINDOW + 1);
});

it('counts from where the server is after a return, and keeps what waited', () => {
  const { input, sent } = startInput();
  input.taken(0);
  input.push(new Uint8Array(INPUT_WINDOW + 10));
  expect(sent()).toBe(INPUT_WINDOW);
  input.countFrom(INPUT_WINDOW);
  input.taken(INPUT_WINDOW);
  expect(sent()).toBe(INPUT_WINDOW + 10);
});
