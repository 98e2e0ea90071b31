import { describe, expect, it } from 'vitest';
import { rowsInSight } from './useRowsInSight.ts';

describe('the rows in sight', () => {
  it.each([
    [0, 0, 600, { first: 0, last: -1 }],
    [5, 0, 600, { first: 0, last: 4 }],
    [10_000, 0, 640, { first: 0, last: 28 }],
    [10_000, 32_000, 640, { first: 992, last: 1_028 }],
    [10_000, 320_000 - 640, 640, { first: 9_972, last: 9_999 }],
  ])('returns the rows in sight of %d rows, scrolled by %d', (count, top, view, expected) => {
    expect(rowsInSight(count, 32, top, view)).toEqual(expected);
  });
});
