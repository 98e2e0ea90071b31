import { describe, expect, it } from 'vitest';
import { floodOf, TERMINAL_FLOODS } from '../../../../testing/hostile/terminal-output.ts';
import { longestBlock } from '../../../../testing/measures/longest-block.ts';
import { retainedMemory } from '../../../../testing/measures/retained-memory.ts';
import { Emulator } from './emulator.ts';
import { partOf } from './limit-terminal.ts';
import { plainText } from './output-capture.ts';

const FLOOD = 200_000;
/** Floods that are measured together. */
const GROUP = 4;
/** Memory of their emulators, of which each takes up to 0.8 MB. */
const MAX_RETAINED = GROUP * 1024 * 1024;
const CHUNK = 16 * 1024;

/** Interprets a flood as a session does, and returns the emulator. */
async function emulated(flood: Buffer): Promise<Emulator> {
  const emulator = new Emulator(80, 24, () => undefined);
  for (let at = 0; at < flood.length; at += CHUNK) {
    await new Promise<void>((done) => emulator.write(flood.subarray(at, at + CHUNK), done));
    emulator.refresh(false);
  }
  return emulator;
}

const sizeOf = (one: (typeof TERMINAL_FLOODS)[number]) => (one.isCostly ? FLOOD / 20 : FLOOD);

describe('an emulator', () => {
  it.each(TERMINAL_FLOODS)('keeps the event loop free for $name', async (one) => {
    const flood = floodOf(one, sizeOf(one));
    const share = await longestBlock(async () => (await emulated(flood)).dispose());
    expect(share).toBeLessThan(1);
  });

  // Measured for a few floods at once: collecting the garbage of all tests takes seconds.
  it('keeps little memory after each flood', async () => {
    const emulators: Emulator[] = [];
    let before = await retainedMemory();
    for (let at = 0; at < TERMINAL_FLOODS.length; at += GROUP) {
      const group = TERMINAL_FLOODS.slice(at, at + GROUP);
      for (const one of group) emulators.push(await emulated(floodOf(one, sizeOf(one))));
      const after = await retainedMemory();
      const names = group.map(({ name }) => name).join(', ');
      expect(after - before, names).toBeLessThan(MAX_RETAINED);
      before = after;
    }
    for (const emulator of emulators) emulator.dispose();
  });

  it('draws text after each flood', async () => {
    for (const one of TERMINAL_FLOODS) {
      const emulator = await emulated(
        Buffer.concat([
          floodOf(one, 2000),
          Buffer.from('\x18\x1b\\\x1b[!p\x1bc\r\nstill here\r\n'),
        ]),
      );
      const { active } = emulator.terminal.buffer;
      const rows = Array.from({ length: active.length }, (_, row) =>
        active.getLine(row)?.translateToString(true),
      );
      expect(rows, one.name).toContain('still here');
      emulator.dispose();
    }
  });
});

it('cuts output before a control sequence, and the earlier the larger the screen is', () => {
  const data = Buffer.from('\x1b[1m\x1b[2m\u009b3m'.repeat(20));
  for (const cells of [80 * 24, 40_000]) {
    const parts: string[] = [];
    for (let at = 0; at < data.length; ) {
      const part = partOf(data, at, cells);
      at += part.length;
      parts.push(part.toString());
    }
    expect(parts.join('')).toBe(data.toString());
    expect(parts.length).toBe(cells === 40_000 ? 15 : 2);
    for (const part of parts) expect(part).toMatch(/m$/);
    expect(partOf(data.toString(), 0, cells)).toBe(parts[0]);
  }
});

it.each([
  ['a\bb', 'b'],
  ['\b\bab\b\bc', 'c'],
  ['wrong\rright', 'right'],
  ['ab\r\n', 'ab\n'],
])('reads %j as %j', (raw, text) => {
  expect(plainText(raw)).toBe(text);
});

it('reads text with any number of backspaces without holding the event loop', async () => {
  const text = 'a'.repeat(300_000) + '\b'.repeat(300_000);
  expect(await longestBlock(() => plainText(text))).toBeLessThan(1);
  expect(plainText(`${text}rest`)).toBe('rest');
});
