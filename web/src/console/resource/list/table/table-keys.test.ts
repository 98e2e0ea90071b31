import { expect, it } from 'vitest';
import { nextPlace } from './table-keys.ts';

it.each([
  ['ArrowDown', 0, 3, 1],
  ['ArrowDown', 2, 3, undefined],
  ['ArrowUp', 1, 3, 0],
  ['ArrowUp', 0, 3, undefined],
  ['ArrowRight', 1, 3, 2],
  ['ArrowLeft', 1, 3, 0],
  ['Home', 2, 3, 0],
  ['Home', 0, 3, undefined],
  ['End', 0, 3, 2],
  ['Enter', 0, 3, undefined],
])('moves by %s from %i of %i to %s', (key, at, count, place) => {
  expect(nextPlace(key, at, count)).toBe(place);
});
