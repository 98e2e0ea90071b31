import { expect, it } from 'vitest';
import type { Db } from '../../../platform/db/database.ts';
import { GrantCache } from './cache.ts';

/**
 * Returns a function that reads values of the given sizes and returns the keys that had to be
 * loaded.
 */
function remembering(maxEntries?: number) {
  // The cache reads the database only for its version, which this function passes.
  const cache = new GrantCache({} as Db, maxEntries);
  return async (
    entries: readonly (readonly [key: string, ids: number])[],
    version = 1,
  ): Promise<string[]> => {
    const loaded: string[] = [];
    for (const [key, ids] of entries) {
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

it('evicts the least recently used entry above the maximum', async () => {
  const load = remembering(2);
  expect(
    await load([
      ['a', 1],
      ['b', 1],
      ['a', 1],
      ['c', 1],
      ['a', 1],
      ['b', 1],
    ]),
  ).toEqual(['a', 'b', 'c', 'b']);
});

it('drops entries of an earlier version', async () => {
  const load = remembering();
  await load([['a', 1]]);
  expect([await load([['a', 1]], 2), await load([['a', 1]], 2)]).toEqual([['a'], []]);
});

it('limits the total number of rows and ids', async () => {
  const load = remembering();
  await load([
    ['small', 10],
    ['big', 150_000],
  ]);
  expect(
    await load([
      ['small', 10],
      ['big', 150_000],
    ]),
  ).toEqual([]);
  expect(await load([['another', 150_000]])).toEqual(['another']);
  expect(
    await load([
      ['another', 150_000],
      ['small', 10],
      ['big', 150_000],
    ]),
  ).toEqual(['small', 'big']);
  // Replacing an entry does not count twice.
  for (let version = 2; version < 5; version++) await load([['big', 150_000]], version);
  expect(await load([['big', 150_000]], 4)).toEqual([]);
});

it('counts the length of keys, which clients control', async () => {
  const load = remembering();
  await load([['small', 10]]);
  for (let number = 0; number < 1_000; number++) await load([[`${number}`.padEnd(16_000, 'x'), 0]]);
  expect(await load([['small', 10]])).toEqual(['small']);
});
