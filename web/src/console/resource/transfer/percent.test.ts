import { expect, it } from 'vitest';
import { percentOf } from './percent.ts';

it.each([
  [undefined, undefined],
  [{ done: 0, total: 0 }, undefined],
  [{ done: 0, total: 3 }, 0],
  [{ done: 4_200, total: 10_000 }, 42],
  [{ done: 9_999, total: 10_000 }, 99],
  [{ done: 10_000, total: 10_000 }, 99],
])('%j is %j percent', (progress, expected) => {
  expect(percentOf(progress)).toBe(expected);
});
