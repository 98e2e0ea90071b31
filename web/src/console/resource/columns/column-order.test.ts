import { expect, it } from 'vitest';
import { moved, toggled, widthIn } from './column-order.ts';

it('moves a column by one place, and not beyond the ends', () => {
  expect(moved(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b'], 'a', -1)).toEqual(['a', 'b']);
  expect(moved(['a', 'b'], 'x', 1)).toEqual(['a', 'b']);
});

it('shows a hidden column at its place in the list, even after other columns moved', () => {
  const all = ['a', 'b', 'c', 'd'];
  expect(toggled(['a', 'c'], 'b', all)).toEqual(['a', 'b', 'c']);
  expect(toggled(['c', 'a'], 'd', all)).toEqual(['c', 'a', 'd']);
  expect(toggled(['a', 'b'], 'b', all)).toEqual(['a']);
});

it('clamps a width to 60 to 800 pixels', () => {
  expect([widthIn(1), widthIn(123.4), widthIn(9_999)]).toEqual([60, 123, 800]);
});
