import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { expect, it } from 'vitest';
import { readFairly } from './fair-reads.ts';

const PIECE = 64 * 1024;
const PIECES = 4096;
/** Below the growth at which V8 collects the whole heap. */
const MOST = 40 * 1024 * 1024;

/** Tests of the same process leave garbage: the best of several tries counts. */
const TRIES = 4;

/** Returns the largest growth of buffer memory while a stream is consumed. */
async function growth(): Promise<number> {
  const stream = new Readable({ read: () => undefined });
  readFairly(stream);
  let read = 0;
  stream.on('data', (piece: Buffer) => {
    read += piece.length;
  });
  const before = getHeapStatistics().external_memory;
  let most = 0;
  for (let count = 0; count < PIECES; count++) {
    stream.push(Buffer.alloc(PIECE));
    if (count % 16 === 0) await turn();
    most = Math.max(most, getHeapStatistics().external_memory - before);
  }
  while (read < PIECE * PIECES) await turn();
  return most;
}

it('frees the memory of consumed buffers long before V8 collects the whole heap', async () => {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < TRIES && least >= MOST; attempt++)
    least = Math.min(least, await growth());
  expect(least).toBeLessThan(MOST);
});
