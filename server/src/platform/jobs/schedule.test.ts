import { isCrontab } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { isSameRule, storedRowSchedule, storedSchedule } from './apply-schedules.ts';
import type { Schedule } from './definition.ts';
import { nextOccurrence, startsTooLate } from './occurrences.ts';

const now = new Date('2026-02-01T10:00:00Z');
const stored = (schedule: Schedule, since = now, zone = 'UTC') =>
  storedSchedule(schedule, { since, now }, zone);

/** Returns the next runs of an expression. */
function next(expression: string, zone: string, from: string, count = 2): string[] {
  const times: string[] = [];
  while (times.length < count) {
    const time = nextOccurrence(expression, zone, new Date(times.at(-1) ?? from));
    if (!time) break;
    times.push(time.toISOString());
  }
  return times;
}

describe('crontabs', () => {
  it.each([
    // 2026-02-02 is a Monday.
    ['30 2 * * *', '2026-02-02T02:30:00.000Z', '2026-02-03T02:30:00.000Z'],
    ['*/15 * * * *', '2026-02-02T00:15:00.000Z', '2026-02-02T00:30:00.000Z'],
    ['5/20 * * * *', '2026-02-02T00:05:00.000Z', '2026-02-02T00:25:00.000Z'],
    ['0 9-17 * * 1-5', '2026-02-02T09:00:00.000Z', '2026-02-02T10:00:00.000Z'],
    ['0,30 8 * 1,2 *', '2026-02-02T08:00:00.000Z', '2026-02-02T08:30:00.000Z'],
    ['0 0 * * 7', '2026-02-08T00:00:00.000Z', '2026-02-15T00:00:00.000Z'],
    // With day of month and day of week set, either may match.
    ['0 0 13 * 1', '2026-02-09T00:00:00.000Z', '2026-02-13T00:00:00.000Z'],
    ['  0   0 1 1 *  ', '2027-01-01T00:00:00.000Z', '2028-01-01T00:00:00.000Z'],
  ])('returns the next runs of %s', (text, first, second) => {
    expect(isCrontab(text)).toBe(true);
    const { expression, zone } = stored({ crontab: text });
    expect(next(expression, zone, '2026-02-02T00:00:00Z')).toEqual([first, second]);
  });

  it('stores times of the day with the zone of the installation', () => {
    for (const schedule of [{ crontab: '36 1 * * *' }, { dailyAt: '01:36' }]) {
      const { expression, zone } = stored(schedule, now, 'Asia/Shanghai');
      expect(next(expression, zone, '2026-02-02T00:00:00Z', 1)).toEqual([
        '2026-02-02T17:36:00.000Z',
      ]);
    }
  });

  it('computes runs in a time zone', () => {
    expect(next('30 2 * * *', 'Asia/Shanghai', '2026-02-02T00:00:00Z', 1)).toEqual([
      '2026-02-02T18:30:00.000Z',
    ]);
  });
});

describe('intervals', () => {
  it.each([
    ['last run', '2026-02-01T09:00:00Z', '2026-02-01T12:00:00.000Z'],
    ['overdue run', '2026-01-01T00:00:00Z', '2026-02-01T10:00:00.000Z'],
    // The last run began while the clock was ahead.
    ['run of the future', '2026-02-03T10:00:00Z', '2026-02-01T10:00:00.000Z'],
  ])('starts an interval after its %s', (_kind, since, first) => {
    const { expression, zone, missed } = stored({ everyMinutes: 180 }, new Date(since));
    expect(missed).toBe('once');
    expect(next(expression, zone, '2026-02-01T09:59:59Z', 1)).toEqual([first]);
  });

  it('starts the interval of a row one interval after its last run, at most one from now', () => {
    for (const [since, first] of [
      ['2026-02-01T09:00:00Z', '2026-02-01T12:00:00.000Z'],
      ['2026-02-03T10:00:00Z', '2026-02-01T13:00:00.000Z'],
    ] as const) {
      const moments = { since: new Date(since), now };
      const { expression } = storedRowSchedule({ everyMinutes: 180 }, moments, 'UTC');
      expect(next(expression, 'UTC', now.toISOString(), 1)).toEqual([first]);
      expect(startsTooLate(expression, now)).toBe(false);
      expect(startsTooLate(expression, new Date(now.getTime() - 14_400_000))).toBe(true);
    }
  });

  it('stores an interval that divides an hour as a crontab', () => {
    expect([1, 10].map((everyMinutes) => stored({ everyMinutes }).expression)).toEqual([
      '* * * * *',
      '*/10 * * * *',
    ]);
  });

  it('compares intervals without their start', () => {
    const [one, other, third] = [180, 180, 240].map(
      (everyMinutes, index) =>
        stored({ everyMinutes }, new Date(now.getTime() - index * 60_000)).expression,
    );
    expect([isSameRule(one ?? '', other ?? ''), isSameRule(one ?? '', third ?? '')]).toEqual([
      true,
      false,
    ]);
  });
});
