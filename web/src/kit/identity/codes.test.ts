import { expect, it } from 'vitest';
import { digitsOf } from './SecondFactorForm.tsx';

it.each([
  ['123456', '123456'],
  ['123 456', '123456'],
  [' 12-34 ', '1234'],
  ['１２３４５６', '123456'],
  ['1234567', '123456'],
  ['abc', ''],
])('reads the digits of %j as %j', (text, digits) => {
  expect(digitsOf(text)).toBe(digits);
});
