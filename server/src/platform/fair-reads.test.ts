import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeAll, expect, it } from 'vitest';
import { collectGarbage } from '../testing/measures/retained-memory.ts';
import { readFairly } from './fair-reads.ts';

const BIG = 64 * 1024;

// Connections skip turns while many buffers wait for the garbage collector: those of earlier tests.
beforeAll(collectAndReport);

/** Collects all garbage, and lets the observer of the collections learn of it. */
async function collectAndReport(): Promise<void> {
  collectGarbage();
  await turn();
  await turn();
}

/** Blocks the processor for longer than the budget of a turn. */
function work(): void {
  const began = performance.now();
  while (performance.now() - began < 12);
}

/**
 * Creates a slow stream, its received chunks, and `read`, which pushes chunks as Node does for a
 * socket: until `push` returns false, at most 32 times.
 */
function heavyStream() {
  const arrived: (number | 'end')[] = [];
  let isReading = false;
  const stream = new Readable({
    read() {
      isReading = true;
    },
  });
  readFairly(stream);
  stream.on('data', (piece: Buffer) => {
    arrived.push(piece[0] ?? -1);
    if (piece.length === BIG) work();
  });
  stream.on('end', () => arrived.push('end'));
  let sent = 0;
  return {
    stream,
    arrived,
    read: (most = 32) => {
      for (let turns = 0; isReading && turns < most; turns++)
        isReading = stream.push(Buffer.alloc(BIG, sent++));
    },
  };
}

it('limits a slow connection to its share of a turn and stops reading from it', async () => {
  const heavy = heavyStream();
  await turn();
  heavy.read();
  expect(heavy.arrived).toEqual([0]);
  await turn();
  expect(heavy.arrived).toEqual([0, 1]);
  // Reading continues after the held chunks were delivered.
  await turn();
  heavy.read();
  heavy.stream.push(null);
  while (heavy.arrived.at(-1) !== 'end') await turn();
  expect(heavy.arrived).toEqual([0, 1, 2, 3, 'end']);
});

it('alternates between slow connections and passes a keystroke at once', async () => {
  const [one, other, third, typing] = [heavyStream(), heavyStream(), heavyStream(), heavyStream()];
  await turn();
  for (const { read } of [one, other, third]) read(2);
  expect([one, other, third].map(({ arrived }) => arrived.length)).toEqual([1, 0, 0]);
  typing.stream.push(Buffer.from('k'));
  expect(typing.arrived).toEqual([0x6b]);
  const all = () => one.arrived.length + other.arrived.length + third.arrived.length;
  for (let expected = 2; expected <= 4; expected++) {
    await turn();
    expect(all()).toBe(expected);
  }
  expect([one, other, third].every(({ arrived }) => arrived.length > 0)).toBe(true);
});

it('drops held data of a destroyed connection', async () => {
  const heavy = heavyStream();
  await turn();
  heavy.read();
  heavy.stream.destroy();
  await turn();
  await turn();
  expect(heavy.arrived).toEqual([0]);
});

it('does not wait for memory that open sessions use', async () => {
  const sessions = Buffer.alloc(128 * 1024 * 1024, 1);
  await collectAndReport();
  const heavy = heavyStream();
  await turn();
  heavy.read();
  await turn();
  expect(heavy.arrived).toEqual([0, 1]);
  expect(sessions.at(-1)).toBe(1);
});
