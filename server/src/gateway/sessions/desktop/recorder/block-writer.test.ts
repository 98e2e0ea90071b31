import { RECORD } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { DESKTOP_BLOCKS_WAITING } from '../../../limits.ts';
import { DESKTOP_BLOCKS_BUDGET } from '../../../shared-budget.ts';
import { BlockWriter } from './block-writer.ts';

const PICTURE = Buffer.alloc(16 * 1024, 'pixels');

/** Writers whose disk stores nothing until `store`. */
function waitingWriters(count: number) {
  const disk = Promise.withResolvers<void>();
  let drained = 0;
  const file = {
    append: () => disk.promise,
    flush: async () => undefined,
    close: async () => undefined,
  };
  const writers = Array.from(
    { length: count },
    () =>
      new BlockWriter(file, 0, {
        onFailure: () => undefined,
        onDrain: () => {
          drained += 1;
        },
      }),
  );
  /** Adds pictures to each until all are behind. Returns the bytes that wait. */
  const fill = () => {
    let bytes = 0;
    for (const writer of writers)
      while (!writer.isBehind) {
        writer.add(RECORD.picture, 0, PICTURE);
        bytes += PICTURE.length;
      }
    return bytes;
  };
  return {
    fill,
    drained: () => drained,
    async end() {
      disk.resolve();
      await Promise.all(writers.map((writer) => writer.end()));
    },
  };
}

it('keeps the records of many desktops in a budget that they share, and reports when they are written', async () => {
  const many = waitingWriters(200);
  expect(many.fill()).toBeLessThan(2 * DESKTOP_BLOCKS_BUDGET);
  await many.end();
  expect(many.drained()).toBe(200);
});

it('gives one desktop as many records as before the others came', async () => {
  const one = waitingWriters(1);
  expect(one.fill()).toBeGreaterThan(DESKTOP_BLOCKS_WAITING - PICTURE.length);
  await one.end();
  expect(one.drained()).toBe(1);
});
