import { expect, it } from 'vitest';
import { eachOnce, sharedReads } from './shared-reads.ts';

it('reads the keys of one turn together, and reads again for a later call', async () => {
  const reads: (readonly string[])[] = [];
  const read = sharedReads((keys) => {
    reads.push(keys);
    const number = reads.length;
    return async (key) => `${key}${number}`;
  });
  expect(await Promise.all(['a', 'b', 'a'].map(read))).toEqual(['a1', 'b1', 'a1']);
  const early = read('a');
  await new Promise(setImmediate);
  expect(await Promise.all([early, read('a')])).toEqual(['a2', 'a3']);
  expect(reads).toEqual([['a', 'b'], ['a'], ['a']]);
});

it('reads each key once, and fails for the callers of a key only', async () => {
  let reads = 0;
  const read = sharedReads(
    eachOnce(async (key) => {
      reads++;
      if (key === 'bad') throw new Error('no answer');
      return key;
    }),
  );
  const answers = await Promise.allSettled(['good', 'bad', 'good', 'bad'].map(read));
  expect(answers.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
  expect(reads).toBe(2);
});
