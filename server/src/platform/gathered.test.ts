import { expect, it } from 'vitest';
import { Gathered } from './gathered.ts';

/** Longer than any test. */
const LONG_MS = 3_600_000;

it('does the work of keys together, each once', async () => {
  const batches: (readonly string[])[] = [];
  const gathered = new Gathered(async (keys) => void batches.push(keys), 5);
  await Promise.all(['one', 'two', 'one'].map((key) => gathered.add(key)));
  await gathered.add('one');
  expect(batches).toEqual([['one', 'two'], ['one']]);
});

it('starts the work of waiting and later keys at once when it is hurried', async () => {
  const batches: (readonly string[])[] = [];
  const gathered = new Gathered(async (keys) => void batches.push(keys), LONG_MS);
  const waiting = gathered.add('waiting');
  gathered.hurry();
  await waiting;
  await Promise.all([gathered.add('later'), gathered.add('last')]);
  expect(batches).toEqual([['waiting'], ['later', 'last']]);
});

it('rejects the callers of a failed batch, and does the next one', async () => {
  let fails = true;
  const gathered = new Gathered(async () => {
    if (fails) throw new Error('away');
  }, 1);
  const results = await Promise.allSettled([gathered.add('one'), gathered.add('two')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  await gathered.add('one');
});
