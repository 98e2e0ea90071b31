import { expect, it } from 'vitest';
import { collectGarbage } from '../../testing/measures/retained-memory.ts';
import { OutputMask } from './output-mask.ts';

const COLS = 80;
const MEBIBYTE = 1024 * 1024;

/** Creates a mask that counts the bytes that it passes on. */
function counting() {
  const counted = { bytes: 0 };
  const mask = new OutputMask({
    cols: COLS,
    known: [],
    now: () => 0,
    onOutput: (part) => {
      counted.bytes += part.length;
    },
  });
  return { mask, counted };
}

it.each([
  ['lines', 'a line of a program\r\n'],
  ['colors', '\x1b[38;2;1;2;3mx'],
  ['repetitions', 'x\x1b[2147483647b'],
  ['gaps', 'x\x1b[9999C'],
])('shares the memory of long texts between many masks (%s)', (_name, text) => {
  const part = Buffer.from(text.repeat(Math.ceil((32 * 1024) / text.length)));
  const masks = Array.from({ length: 200 }, counting);
  const held = () => {
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const before = held();
  for (const { mask } of masks) mask.push(part);
  const after = held();
  for (const { mask } of masks) mask.flush();
  expect((after - before) / MEBIBYTE).toBeLessThan(12);
  expect(masks.every(({ counted }) => counted.bytes === part.length)).toBe(true);
});

it('masks secrets of many sessions whose output arrives in turns', () => {
  const sessions = Array.from({ length: 20 }, (_, number) => {
    const parts: Buffer[] = [];
    const mask = new OutputMask({
      cols: COLS,
      known: [],
      now: () => 0,
      onOutput: (part) => parts.push(part),
    });
    return { mask, parts, secret: `Qw${number}xZp4k8` };
  });
  const filler = 'an ordinary line\r\n'.repeat(1000);
  for (const { mask, secret } of sessions)
    mask.push(Buffer.from(`${filler}password: ${secret.slice(0, 3)}`));
  for (const { mask, secret } of sessions)
    mask.push(Buffer.from(`${secret.slice(3)}\r\n${filler}`));
  for (const { mask, parts, secret } of sessions) {
    mask.flush();
    const stored = Buffer.concat(parts).toString();
    expect(stored).not.toContain(secret.slice(0, 5));
    expect(stored).toContain('password: ***');
    expect(stored.length).toBe(2 * filler.length + `password: ${secret}\r\n`.length);
  }
});
