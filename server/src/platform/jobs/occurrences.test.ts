import { wallClock } from '@sallyport/contract';
import { runs } from '@sallyport/property-runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { intervalExpression, nextOccurrence } from './occurrences.ts';

/** Returns the runs of an expression after `from` and before `to`. */
function runsBetween(expression: string, zone: string, from: string, to: string): string[] {
  const times: string[] = [];
  let at: Date | undefined = new Date(from);
  for (;;) {
    at = nextOccurrence(expression, zone, at);
    if (!at || at >= new Date(to)) return times;
    times.push(at.toISOString().replace(':00.000Z', 'Z'));
  }
}

it.each([
  // Whole hours: 02:00 becomes 03:00, and 03:00 becomes 02:00.
  ['Europe/Berlin', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-30T00:30Z']],
  ['Europe/Berlin', '30 2 * * *', '2026-10-24T12:00Z', ['2026-10-25T00:30Z', '2026-10-26T01:30Z']],
  ['Europe/Berlin', '0 3 * * *', '2026-03-28T12:00Z', ['2026-03-29T01:00Z', '2026-03-30T01:00Z']],
  ['Europe/Berlin', '0 3 * * *', '2026-10-24T12:00Z', ['2026-10-25T02:00Z', '2026-10-26T02:00Z']],
  [
    'America/New_York',
    '15 2 * * 0',
    '2026-03-07T12:00Z',
    ['2026-03-08T07:00Z', '2026-03-15T06:15Z'],
  ],
  // Skipped times of one schedule are one run.
  [
    'Europe/Berlin',
    '0,15,45 2 * * *',
    '2026-03-28T12:00Z',
    ['2026-03-29T01:00Z', '2026-03-30T00:00Z'],
  ],
  [
    'Europe/Berlin',
    '*/30 2 * * *',
    '2026-10-24T12:00Z',
    ['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-26T01:00Z'],
  ],
  // Half an hour: 02:00 becomes 02:30, and 02:00 becomes 01:30.
  [
    'Australia/Lord_Howe',
    '0 12 * * *',
    '2026-04-03T13:00Z',
    ['2026-04-04T01:00Z', '2026-04-05T01:30Z', '2026-04-06T01:30Z'],
  ],
  [
    'Australia/Lord_Howe',
    '45 1 * * *',
    '2026-04-03T20:00Z',
    ['2026-04-04T14:45Z', '2026-04-05T15:15Z'],
  ],
  [
    'Australia/Lord_Howe',
    '15 2 * * *',
    '2026-10-02T20:00Z',
    ['2026-10-03T15:30Z', '2026-10-04T15:15Z'],
  ],
  // At midnight: the day begins at 01:00, or 00:30 comes twice.
  ['America/Havana', '0 0 * * *', '2026-03-07T12:00Z', ['2026-03-08T05:00Z', '2026-03-09T04:00Z']],
  ['America/Havana', '30 0 * * *', '2026-10-31T12:00Z', ['2026-11-01T04:30Z', '2026-11-02T05:30Z']],
  ['Asia/Beirut', '10 0 * * *', '2026-03-28T12:00Z', ['2026-03-28T22:00Z', '2026-03-29T21:10Z']],
  // 24:00 becomes 23:00 of the same day.
  ['Asia/Beirut', '30 23 * * *', '2026-10-24T12:00Z', ['2026-10-24T20:30Z', '2026-10-25T21:30Z']],
  ['Asia/Beirut', '0 0 * * *', '2026-10-24T12:00Z', ['2026-10-24T22:00Z', '2026-10-25T22:00Z']],
  [
    'America/Asuncion',
    '0 0 * * *',
    '2023-09-30T12:00Z',
    ['2023-10-01T04:00Z', '2023-10-02T03:00Z'],
  ],
  [
    'America/Asuncion',
    '30 23 * * *',
    '2023-03-25T12:00Z',
    ['2023-03-26T02:30Z', '2023-03-27T03:30Z'],
  ],
  // At 00:01 clocks went back into the day before.
  [
    'America/St_Johns',
    '30 23 * * *',
    '2006-10-28T12:00Z',
    ['2006-10-29T02:00Z', '2006-10-30T03:00Z'],
  ],
  // A day that does not exist.
  [
    'Pacific/Apia',
    '0 12 * * *',
    '2011-12-29T12:00Z',
    ['2011-12-29T22:00Z', '2011-12-30T10:00Z', '2011-12-30T22:00Z'],
  ],
  ['Pacific/Apia', '0 12 30 * *', '2011-12-29T12:00Z', ['2011-12-30T10:00Z', '2012-01-29T22:00Z']],
  // No change.
  ['Asia/Shanghai', '30 2 * * *', '2026-03-28T12:00Z', ['2026-03-28T18:30Z', '2026-03-29T18:30Z']],
  ['Asia/Kathmandu', '0 4 * * *', '2026-03-28T12:00Z', ['2026-03-28T22:15Z', '2026-03-29T22:15Z']],
  ['UTC', '0 0 29 2 *', '2096-03-01T00:00Z', ['2104-02-29T00:00Z', '2108-02-29T00:00Z']],
] as const)('runs each local day and time of %s %s once', (zone, crontab, from, expected) => {
  const last = new Date(expected.at(-1) ?? '').getTime() + 1;
  expect(runsBetween(crontab, zone, from, new Date(last).toISOString())).toEqual(expected);
});

it('runs a crontab for every hour by real time when clocks change', () => {
  const night = ['2026-10-24T23:59Z', '2026-10-25T03:00Z'] as const;
  expect(runsBetween('0 * * * *', 'Europe/Berlin', ...night)).toEqual([
    '2026-10-25T00:00Z',
    '2026-10-25T01:00Z',
    '2026-10-25T02:00Z',
  ]);
  expect(
    runsBetween('*/20 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:30Z', '2026-04-04T15:55Z'),
  ).toEqual(['2026-04-04T14:40Z', '2026-04-04T15:10Z', '2026-04-04T15:30Z', '2026-04-04T15:50Z']);
  expect(
    runsBetween('*/30 * * * *', 'America/St_Johns', '2006-10-29T01:50Z', '2006-10-29T03:50Z'),
  ).toEqual(['2006-10-29T02:00Z', '2006-10-29T02:30Z', '2006-10-29T03:00Z', '2006-10-29T03:30Z']);
});

it('runs an interval by real time', () => {
  const every = intervalExpression(new Date('2026-10-24T20:10:05.900Z'), 180);
  expect(
    [0, 1, 3].map((hours) =>
      nextOccurrence(
        every,
        'Europe/Berlin',
        new Date(Date.parse('2026-10-24T20:10:05Z') + hours * 10_800_000),
      )?.toISOString(),
    ),
  ).toEqual(['2026-10-24T23:10:05.000Z', '2026-10-25T02:10:05.000Z', '2026-10-25T08:10:05.000Z']);
  expect(nextOccurrence(every, 'UTC', new Date(0))?.toISOString()).toBe('2026-10-24T20:10:05.000Z');
});

it('finds no run on a day that never comes, and rejects what it cannot read', () => {
  expect(nextOccurrence('0 0 30 2 *', 'Europe/Berlin', new Date())).toBeUndefined();
  for (const [expression, zone] of [
    ['0 0 * *', 'UTC'],
    ['61 0 * * *', 'UTC'],
    ['DTSTART:20260101T000000Z\nRRULE:FREQ=MINUTELY;INTERVAL=0', 'UTC'],
    ['0 0 * * *', 'Mars/Olympus'],
  ] as const)
    expect(() => nextOccurrence(expression, zone, new Date())).toThrow();
});

const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Havana',
  'Asia/Beirut',
  'Africa/Casablanca',
  'America/Santiago',
  'Pacific/Chatham',
  'America/St_Johns',
  'Africa/Cairo',
  'Asia/Kolkata',
  'UTC',
];
const DAY = 86_400_000;

it('runs any daily time exactly once for each day of a year, later than before', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      fc.integer({ min: 1990, max: 2037 }),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
      (zone, year, hour, minute) => {
        const days: number[] = [];
        let at = new Date(Date.UTC(year, 0, 1, 12));
        for (let last = at.getTime(); last < Date.UTC(year, 11, 30); last = at.getTime()) {
          at = nextOccurrence(`${minute} ${hour} * * *`, zone, at) ?? new Date(Number.NaN);
          expect(at.getTime()).toBeGreaterThan(last);
          const wall = wallClock(at.getTime(), zone);
          const ofDay = Math.floor(wall / 60_000) % 1440;
          const time = hour * 60 + minute;
          // Only a skipped time is late: the clock showed less a second before.
          if (ofDay !== time) {
            const before = Math.floor(wallClock(at.getTime() - 1000, zone) / 60_000) % 1440;
            expect(before < time || before > ofDay).toBe(true);
          }
          days.push(Math.floor((wall - (ofDay < time ? DAY : 0)) / DAY));
        }
        days.forEach((day, index) => void expect(day).toBe((days[0] ?? 0) + index));
      },
    ),
    runs(24),
  );
});
