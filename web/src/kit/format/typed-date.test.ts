import { expect, it } from 'vitest';
import { isWithoutEnd, withoutEnd } from './format.ts';
import { later, readTypedDate } from './typed-date.ts';

/** A Friday. */
const NOW = new Date(2026, 10, 20, 10, 30, 0);
const at = (year: number, month: number, day: number, hours = 0, minutes = 0, seconds = 0) =>
  new Date(year, month - 1, day, hours, minutes, seconds);

it.each([
  ['2026-11-27', at(2026, 11, 27)],
  ['2026/1/5 8:05', at(2026, 1, 5, 8, 5)],
  ['2026-11-27 18:00:30', at(2026, 11, 27, 18, 0, 30)],
  ['2026年11月27日 18:00', at(2026, 11, 27, 18)],
  ['+7d', at(2026, 11, 27, 10, 30)],
  ['8 h', at(2026, 11, 20, 18, 30)],
  ['+30 min', at(2026, 11, 20, 11, 0)],
  ['2 weeks', at(2026, 12, 4, 10, 30)],
  ['3mo', at(2027, 2, 20, 10, 30)],
  ['3天后', at(2026, 11, 23, 10, 30)],
  ['2个月', at(2027, 1, 20, 10, 30)],
  ['tomorrow 9:00', at(2026, 11, 21, 9)],
  ['今天 18:00', at(2026, 11, 20, 18)],
  ['fri 18:00', at(2026, 11, 27, 18)],
  ['next fri 18:00', at(2026, 11, 27, 18)],
  ['Monday', at(2026, 11, 23)],
  ['周五', at(2026, 11, 27)],
  ['本周日', at(2026, 11, 22)],
  ['下周五 18:00', at(2026, 11, 27, 18)],
  ['下周一', at(2026, 11, 23)],
])('reads %s', (text, expected) => {
  expect(readTypedDate(text, NOW)).toEqual(expected);
});

it('applies the time of the field to a day without a time', () => {
  expect(readTypedDate('2026-11-27', NOW, '23:59:59')).toEqual(at(2026, 11, 27, 23, 59, 59));
});

it('reads the format of the server', () => {
  expect(readTypedDate('2026-11-27 18:00:00 +0800', NOW)).toEqual(new Date('2026-11-27T10:00:00Z'));
  expect(readTypedDate('2026-11-27T10:00:00.000Z', NOW)).toEqual(new Date('2026-11-27T10:00:00Z'));
});

it.each(['', 'soon', '2026-02-31', '2026-13-01', '2026-11-27 25:00', '+7', '7 parsecs', '18:00'])(
  'does not guess at %j',
  (text) => {
    expect(readTypedDate(text, NOW)).toBeUndefined();
  },
);

it.each(['never', 'Never', '永久'])('reads %s as no end', (text) => {
  const end = readTypedDate(text, NOW);
  expect(end).toEqual(withoutEnd(NOW));
  expect(isWithoutEnd(end?.toISOString() ?? '')).toBe(true);
});

it('clamps to the last day of a shorter month', () => {
  expect(later(at(2026, 1, 31), 1, 'months')).toEqual(at(2026, 2, 28));
});
