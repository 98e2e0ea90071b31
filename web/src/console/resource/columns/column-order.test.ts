import { expect, it } from 'vitest';
import { moved, toggled, widthIn } from './column-order.ts';

it('a column moves by one place, and not beyond the ends', () => {
  expect(moved(['a', 'b', 'c'], 'b', -1)).toEqual(['b', 'a', 'c']);
  expect(moved(['a', 'b', 'c'], 'b', 1)).toEqual(['a', 'c', 'b']);
  expect(moved(['a', 'b'], 'a', -1)).toEqual(['a', 'b']);
  expect(moved(['a', 'b'], 'x', 1)).toEqual(['a', 'b']);
});

it('a column that is shown again comes where the list has it, whatever was moved', () => {
  const all = ['a', 'b', 'c', 'd'];
  expect(toggled(['a', 'c'], 'b', all)).toEqual(['a', 'b', 'c']);
  expect(toggled(['c', 'a'], 'd', all)).toEqual(['c', 'a', 'd']);
  expect(toggled(['a', 'b'], 'b', all)).toEqual(['a']);
});

it('a width stays within what can be read', () => {
  expect([widthIn(1), widthIn(123.4), widthIn(9_999)]).toEqual([60, 123, 800]);
});
