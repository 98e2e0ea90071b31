import { expect, it } from 'vitest';
import { lastDays, presetRange, SHORTCUTS } from './dates.ts';

const NOW = new Date(2026, 4, 20, 15, 30, 45, 123);

it('offers the last day, week, thirty and ninety days, exact to the second', () => {
  expect(SHORTCUTS.map(({ days }) => days)).toEqual([1, 7, 30, 90]);
  expect(SHORTCUTS.map(({ label }) => label.en)).toEqual([
    'Last 24 hours',
    'Last week',
    'Last month',
    'Last 3 months',
  ]);
  const { dateFrom, dateTo } = lastDays(7, NOW);
  expect([Date.parse(dateTo), Date.parse(dateTo) - Date.parse(dateFrom)]).toEqual([
    NOW.getTime(),
    7 * 86_400_000,
  ]);
});

it('starts with whole days from 00:00:01 to 23:59:59 in local time', () => {
  const { dateFrom, dateTo } = presetRange(7, NOW);
  expect(new Date(dateFrom)).toEqual(new Date(2026, 4, 13, 0, 0, 1));
  expect(new Date(dateTo)).toEqual(new Date(2026, 4, 20, 23, 59, 59));
});
