import { describe, expect, it } from 'vitest';
import { createTerminal } from '../../kit/terminal-emulator/create-terminal.ts';
import { OutputQueue } from './output-queue.ts';

function setUp() {
  const written: number[][] = [];
  const pending: (() => void)[] = [];
  const queue = new OutputQueue((bytes, done) => {
    written.push([...bytes]);
    pending.push(done);
  });
  const drawn: number[] = [];
  const push = (...bytes: number[]) =>
    queue.push({ bytes: Uint8Array.from(bytes), drawn: () => drawn.push(bytes.length) });
  return { queue, written, drawn, push, settle: () => pending.shift()?.() };
}

describe('handing output to the screen', () => {
  it('writes the first piece at once and gathers the rest while the screen is busy', () => {
    const { written, drawn, push, settle } = setUp();
    push(1);
    push(2, 3);
    push(4);
    expect(written).toEqual([[1]]);
    settle();
    expect(written).toEqual([[1], [2, 3, 4]]);
    expect(drawn).toEqual([1]);
    settle();
    expect(drawn).toEqual([1, 2, 1]);
    expect(written.length).toBe(2);
  });

  it('continues after a pause', () => {
    const { written, push, settle } = setUp();
    push(1);
    settle();
    push(2);
    expect(written).toEqual([[1], [2]]);
  });

  it('runs a step after the earlier output and before the later output', () => {
    const { queue, written, push, settle } = setUp();
    push(1);
    push(2);
    const steps: (() => void)[] = [];
    queue.between((done) => {
      written.push([0]);
      steps.push(done);
    });
    push(3);
    expect(written).toEqual([[1]]);
    settle();
    expect(written).toEqual([[1], [2]]);
    settle();
    expect(written).toEqual([[1], [2], [0]]);
    steps[0]?.();
    expect(written).toEqual([[1], [2], [0], [3]]);
  });

  it.each([1, 2, 3, 5])('draws all characters of frames of %i bytes', async (size) => {
    const text = '“引号”、。 ꀂ ကက 😀';
    const terminal = createTerminal({ cols: 80, rows: 24 });
    const queue = new OutputQueue((bytes, done) => terminal.write(bytes, done));
    const bytes = new TextEncoder().encode(text);
    for (let from = 0; from < bytes.length; from += size)
      await new Promise<void>((drawn) =>
        queue.push({ bytes: bytes.slice(from, from + size), drawn }),
      );
    expect(terminal.buffer.active.getLine(0)?.translateToString(true)).toBe(text);
    terminal.dispose();
  });

  it('begins a session without the rest of a character of the last one', () => {
    const { queue, written, push, settle } = setUp();
    push(0x41, 0xe4);
    settle();
    queue.between((done) => done());
    push(0x42);
    expect(written).toEqual([[0x41], [0x42]]);
  });
});
