import { describe, expect, it } from 'vitest';
import { isMultiline } from './typed-input.ts';

describe('what counts as several lines', () => {
  it.each([
    ['ls', false],
    ['ls\n', false],
    ['ls\r\n', false],
    ['ls\r', false],
    ['cd /\nls', true],
    ['cd /\r\nls\r\n', true],
    ['cd /\rls', true],
    ['ls\n\n', true],
    ['', false],
  ])('tells the number of lines of %j: several %s', (text, expected) => {
    expect(isMultiline(text)).toBe(expected);
  });
});
