import { formatDatetime, MOST_BARS } from '@sallyport/contract';
import { limitOf, runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { barStarts } from './bars.ts';

const DAY = 86_400_000;
const textsOf = (starts: readonly Date[], zone: string) =>
  starts.map((start) => formatDatetime(start, zone));

it('begins with the range and continues at full hours of the clock of the reader', () => {
  const from = new Date('2026-01-30T16:00:01Z');
  const starts = barStarts(from, new Date('2026-01-31T15:59:59Z'), 'Asia/Shanghai');
  expect(textsOf(starts, 'Asia/Shanghai').slice(0, 3)).toEqual([
    '2026-01-31 00:00:01 +0800',
    '2026-01-31 00:30:00 +0800',
    '2026-01-31 01:00:00 +0800',
  ]);
  expect(starts).toHaveLength(48);
});

it('keeps days whole on which the clock changes', () => {
  const from = new Date('2026-03-01T05:00:00Z');
  const starts = barStarts(from, new Date(from.getTime() + 40 * DAY), 'America/New_York');
  expect(textsOf(starts, 'America/New_York').slice(6, 9)).toEqual([
    '2026-03-07 00:00:00 -0500',
    '2026-03-08 00:00:00 -0500',
    '2026-03-09 00:00:00 -0400',
  ]);
});

it('begins weeks on Monday', () => {
  const starts = barStarts(new Date('2025-01-01T00:00:00Z'), new Date('2025-12-31Z'), 'UTC');
  expect(starts.slice(1).map((start) => start.getUTCDay())).toEqual(Array(52).fill(1));
});

it.each([
  ['a second', 0],
  ['an empty range', -1_000],
])('returns one bar for %s', (_what, length) => {
  const from = new Date('2026-01-31T00:00:00Z');
  expect(barStarts(from, new Date(from.getTime() + length), 'UTC')).toEqual([from]);
});

it(
  'returns rising starts within the range, for every range and zone',
  () => {
    const moment = fc.date({
      min: new Date('0001-01-02T00:00:00Z'),
      max: new Date('9999-12-30T00:00:00Z'),
      noInvalidDate: true,
    });
    const zone = fc.constantFrom(
      'UTC',
      'Asia/Kolkata',
      'America/St_Johns',
      'Pacific/Apia',
      'no/zone',
    );
    fc.assert(
      fc.property(moment, fc.nat(10 * 365 * DAY), zone, (from, length, zone) => {
        const to = new Date(from.getTime() + length);
        const starts = barStarts(from, to, zone);
        expect(starts.length).toBeLessThanOrEqual(MOST_BARS);
        expect(starts[0]).toEqual(from);
        for (const [place, start] of starts.entries()) {
          expect(start.getTime()).toBeLessThanOrEqual(to.getTime());
          if (place > 0) expect(start.getTime()).toBeGreaterThan(starts[place - 1]?.getTime() ?? 0);
        }
      }),
      runs(200),
    );
  },
  limitOf(10_000),
);
