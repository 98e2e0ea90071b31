import { describe, expect, it } from 'vitest';
import { isTimeOf, parseCrontab } from './crontab.ts';

const isTime = (text: string, moment: string) => {
  const crontab = parseCrontab(text);
  if (!crontab) throw new Error(`${text} is no crontab`);
  return isTimeOf(crontab, new Date(moment));
};

describe('five fields', () => {
  it.each([
    // 2026-02-02 is a Monday.
    ['* * * * *', '2026-02-02T13:37', true],
    ['30 2 * * *', '2026-02-02T02:30', true],
    ['30 2 * * *', '2026-02-02T02:31', false],
    ['*/15 * * * *', '2026-02-02T02:45', true],
    ['*/15 * * * *', '2026-02-02T02:44', false],
    ['5/20 * * * *', '2026-02-02T02:45', true],
    ['5/20 * * * *', '2026-02-02T02:04', false],
    ['0 9-17 * * 1-5', '2026-02-02T17:00', true],
    ['0 9-17 * * 1-5', '2026-02-01T17:00', false],
    ['0,30 8 * 1,2 *', '2026-02-02T08:30', true],
    ['0 0 * * 7', '2026-02-01T00:00', true],
    ['0 0 * * 0', '2026-02-01T00:00', true],
    // Both days named: either will do.
    ['0 0 13 * 1', '2026-02-02T00:00', true],
    ['0 0 13 * 1', '2026-02-13T00:00', true],
    ['0 0 13 * 1', '2026-02-14T00:00', false],
    ['0 0 13 * *', '2026-02-02T00:00', false],
    ['0 0 */2 * 1', '2026-02-02T00:00', false],
    ['  0   0 1 1 *  ', '2026-01-01T00:00', true],
  ])('%s at %s: %s', (text, moment, is) => {
    expect(isTime(text, moment)).toBe(is);
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
  ])('%j is none', (text) => {
    expect(parseCrontab(text)).toBeUndefined();
  });
});
