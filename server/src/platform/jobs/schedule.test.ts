import { isCrontab } from '@sallyport/contract';
import { PgBoss } from 'pg-boss';
import { describe, expect, it } from 'vitest';
import { isSameRule, storedSchedule } from './apply-schedules.ts';

const boss = new PgBoss({ db: { executeSql: async () => ({ rows: [] }) } });
const next = (expression: string, zone: string, from: string, count = 2) =>
  boss
    .previewSchedule(expression, { tz: zone, from: new Date(from), count })
    .map((date) => date.toISOString());

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
    const { expression, zone } = storedSchedule({ crontab: text }, new Date(), 'UTC');
    expect(next(expression, zone, '2026-02-02T00:00:00Z')).toEqual([first, second]);
  });

  it('stores times of the day with the zone of the installation', () => {
    for (const schedule of [{ crontab: '36 1 * * *' }, { dailyAt: '01:36' }]) {
      const { expression, zone } = storedSchedule(schedule, new Date(), 'Asia/Shanghai');
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
  it('counts an interval from the last run', () => {
    const last = new Date(Date.now() - 3_600_000);
    const { expression, zone, missed } = storedSchedule({ everyMinutes: 180 }, last, 'UTC');
    const [first = ''] = boss
      .previewSchedule(expression, { tz: zone, from: new Date(), count: 1 })
      .map((date) => date.getTime());
    expect(missed).toBe('once');
    expect(Math.abs(Number(first) - last.getTime() - 3 * 3_600_000)).toBeLessThan(1_000);
  });

  it('starts an overdue interval now', () => {
    const { expression, zone } = storedSchedule(
      { everyMinutes: 180 },
      new Date('2026-01-01T00:00:00Z'),
      'UTC',
    );
    const [first = 0] = boss
      .previewSchedule(expression, { tz: zone, from: new Date(Date.now() - 60_000), count: 1 })
      .map((date) => date.getTime());
    expect(Math.abs(first - Date.now())).toBeLessThan(5_000);
  });

  it('stores an interval that divides an hour as a crontab', () => {
    expect(
      [1, 10].map((everyMinutes) => storedSchedule({ everyMinutes }, new Date(), 'UTC').expression),
    ).toEqual(['* * * * *', '*/10 * * * *']);
  });

  it('compares intervals without their start', () => {
    const [one, other, third] = [180, 180, 240].map(
      (everyMinutes, index) =>
        storedSchedule({ everyMinutes }, new Date(Date.now() - index * 60_000), 'UTC').expression,
    );
    expect([isSameRule(one ?? '', other ?? ''), isSameRule(one ?? '', third ?? '')]).toEqual([
      true,
      false,
    ]);
  });
});
