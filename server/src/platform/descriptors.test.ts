import { expect, it } from 'vitest';
import { type Descriptors, lacksDescriptors, watchDescriptors } from './descriptors.ts';

it.each([
  [1_024, 959, false],
  [1_024, 960, false],
  [1_024, 961, true],
  [65_536, 65_472, false],
  [65_536, 65_473, true],
  // A small limit has a smaller reserve.
  [128, 112, false],
  [128, 113, true],
  [1_024, 1_024, true],
  // The limit was lowered below what is open.
  [64, 300, true],
])('returns, for a limit of %i and %i open descriptors, %s', (limit, used, expected) => {
  expect(watchDescriptors(() => ({ used, limit }))()).toBe(expected);
});

it('counts again before the sessions since the last count could have used the free descriptors', () => {
  let counts = 0;
  let now: Descriptors = { used: 100, limit: 1_024 };
  const lacks = watchDescriptors(() => {
    counts++;
    return now;
  });
  expect(lacks()).toBe(false);
  now = { used: 1_020, limit: 1_024 };
  let calls = 0;
  while (!lacks()) calls++;
  expect(counts).toBe(2);
  expect(calls * 8).toBeLessThanOrEqual(1_024 - 100 - 64);
  // While they lack, each call counts.
  now = { used: 900, limit: 1_024 };
  expect(lacks()).toBe(false);
  expect(counts).toBe(3);
});

it('finds no lack where descriptors cannot be counted', () => {
  expect(watchDescriptors(() => undefined)()).toBe(false);
});

it('counts the descriptors of this process', () => expect(lacksDescriptors()).toBe(false));
