import { expect, it } from 'vitest';
import { dayRange, heightOf } from './days.ts';

it.each([
  [0, 40, 0],
  [1, 400, 4],
  [20, 40, 50],
  [40, 40, 100],
])('%d of at most %d sessions is a bar of %d percent', (count, most, height) => {
  expect(heightOf(count, most)).toBe(height);
});

it('a day is whole where the reader is', () => {
  const { date_from: from, date_to: to } = dayRange('2026-01-31');
  expect([new Date(from).getDate(), new Date(from).getHours(), new Date(to).getDate(), new Date(to).getHours()]).toEqual([31, 0, 31, 23]);
  expect(Date.parse(to) - Date.parse(from)).toBe(86_399_999);
});
