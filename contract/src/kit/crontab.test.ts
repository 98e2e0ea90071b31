import { describe, expect, it } from 'vitest';
import { isCrontab } from './crontab.ts';

describe('five fields', () => {
  it.each([
    '* * * * *',
    '30 2 * * *',
    '*/15 * * * *',
    '5/20 * * * *',
    '0 9-17 * * 1-5',
    '0,30 8 * 1,2 *',
    '0 0 * * 7',
    '0 0 * * 0',
    '0 0 13 * 1',
    '0 0 29 2 *',
    '0 0 31 2,3 *',
    '0 0 31 2 1',
    '0 0 13 * *',
    '0 0 */2 * 1',
    '  0   0 1 1 *  ',
  ])('accepts %j', (text) => {
    expect(isCrontab(text)).toBe(true);
  });

  it.each([
    '',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    'a * * * *',
    '1,, * * * *',
    '-1 * * * *',
    '@daily',
    '0 0 31 2 *',
    '0 0 30-31 2 *',
    '0 0 31 4,6,9,11 *',
  ])('rejects %j', (text) => {
    expect(isCrontab(text)).toBe(false);
  });
});
