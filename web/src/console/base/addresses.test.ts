import { expect, it } from 'vitest';
import { outsideAddress } from './addresses.ts';

it.each([
  ['https://wiki.example.com/', 'https://wiki.example.com/'],
  ['javascript:alert(1)', undefined],
  ['', undefined],
  [null, undefined],
])('links for the outside address %j to %j', (address, expected) => {
  expect(outsideAddress(address)).toBe(expected);
});
