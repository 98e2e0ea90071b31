import { expect, it } from 'vitest';
import { coverageOf, withHours } from './week-grid.ts';

it('shows covered, partly covered and free hours', () => {
  const week = coverageOf(['Mon-Tue 08:30-10:00', 'nonsense']);
  expect(week[1]?.slice(7, 11)).toEqual(['none', 'some', 'all', 'none']);
  expect(week[2]?.every((hour) => hour === 'none')).toBe(true);
});

it('joins days and spans into few entries, and keeps malformed ones', () => {
  expect(withHours(['Mon-Thu 08:00-18:00'], [{ day: 4, hour: 8 }], true)).toEqual([
    'Mon-Thu 08:00-18:00',
    'Fri 08:00-09:00',
  ]);
  expect(withHours(['Mon 08:00-12:00', 'Mon 12:00-18:00', 'x'], [], true)).toEqual([
    'Mon 08:00-18:00',
    'x',
  ]);
  expect(withHours(['Mon-Fri 08:00-18:00'], [{ day: 2, hour: 12 }], false)).toEqual([
    'Mon-Tue 08:00-18:00',
    'Wed 08:00-12:00',
    'Wed 13:00-18:00',
    'Thu-Fri 08:00-18:00',
  ]);
  const hours = Array.from({ length: 24 }, (_, hour) => ({ day: 6, hour }));
  expect(withHours([], hours, true)).toEqual(['Sun 00:00-24:00']);
});
