import { expect, it } from 'vitest';
import type { Db } from '../../../platform/db/database.ts';
import { GrantCache } from './cache.ts';

/** Asks for values, each of so many ids, and says which of them had to be loaded. */
function remembering(entries?: number) {
  // What is remembered is asked for with its version: the database is not.
  const cache = new GrantCache({} as Db, entries);
  return async (
    wanted: readonly (readonly [key: string, ids: number])[],
    version = 1,
  ): Promise<string[]> => {
    const loaded: string[] = [];
    for (const [key, ids] of wanted) {
      await cache.remember(version, key, async () => {
        loaded.push(key);
        return {
          value: { ids: Array.from({ length: ids }, () => 'id') },
          validUntil: Number.POSITIVE_INFINITY,
        };
      });
    }
    return loaded;
  };
}

it('remembers what was used last, and no more values than it may', async () => {
  const ask = remembering(2);
  expect(
    await ask([
      ['a', 1],
      ['b', 1],
      ['a', 1],
      ['c', 1],
      ['a', 1],
      ['b', 1],
    ]),
  ).toEqual(['a', 'b', 'c', 'b']);
});

it('remembers nothing of before a change', async () => {
  const ask = remembering();
  await ask([['a', 1]]);
  expect([await ask([['a', 1]], 2), await ask([['a', 1]], 2)]).toEqual([['a'], []]);
});

it('remembers so many rows and ids altogether, however few values they are', async () => {
  const ask = remembering();
  await ask([
    ['small', 10],
    ['big', 150_000],
  ]);
  expect(
    await ask([
      ['small', 10],
      ['big', 150_000],
    ]),
  ).toEqual([]);
  expect(await ask([['another', 150_000]])).toEqual(['another']);
  expect(
    await ask([
      ['another', 150_000],
      ['small', 10],
      ['big', 150_000],
    ]),
  ).toEqual(['small', 'big']);
  // The same value again does not count twice.
  for (let version = 2; version < 5; version++) await ask([['big', 150_000]], version);
  expect(await ask([['big', 150_000]], 4)).toEqual([]);
});

it('counts the letters of what it is asked for: callers choose them', async () => {
  const ask = remembering();
  await ask([['small', 10]]);
  for (let number = 0; number < 1_000; number++) await ask([[`${number}`.padEnd(16_000, 'x'), 0]]);
  expect(await ask([['small', 10]])).toEqual(['small']);
});
