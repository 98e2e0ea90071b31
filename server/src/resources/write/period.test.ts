import { expect, it } from 'vitest';
import { Invalid } from '../../platform/errors.ts';
import { assertPeriod, periodColumn, presentPeriods, scheduleOf } from './period.ts';

it('requires a schedule for periodic work, from old and changed values', () => {
  const refuses = (...[values, previous, otherwise]: Parameters<typeof assertPeriod>) => {
    try {
      assertPeriod(values, previous, otherwise);
      return false;
    } catch (error) {
      expect((error as Invalid).problems).toEqual({ is_periodic: [{ code: 'no_period' }] });
      return error instanceof Invalid;
    }
  };
  const daily = { is_periodic: true, crontab: '30 2 * * *', interval: null };
  expect(refuses({ is_periodic: true, interval: null }, undefined, 24)).toBe(true);
  expect(refuses({ is_periodic: true, crontab: null, interval: null }, undefined, null)).toBe(true);
  expect(refuses({ crontab: null }, daily, 24)).toBe(true);
  // A new row takes the default interval.
  expect(refuses({ is_periodic: true }, undefined, 24)).toBe(false);
  expect(refuses({ is_periodic: false, interval: null }, undefined, 24)).toBe(false);
  expect(refuses({ crontab: null, interval: 2 }, daily, 24)).toBe(false);
  expect(refuses({}, daily, 24)).toBe(false);
});

it('returns a schedule and a description; the crontab wins', () => {
  const both = { is_periodic: true, crontab: '30 2 * * *', interval: 24 };
  expect(scheduleOf(both)).toEqual({ crontab: '30 2 * * *' });
  expect(scheduleOf({ ...both, crontab: null })).toEqual({ everyMinutes: 1_440 });
  expect(scheduleOf({ ...both, is_periodic: false })).toBeUndefined();
  const rows = [
    { periodic_display: [true, '30 2 * * *', 24] },
    { periodic_display: [true, null, 1_000] },
    { periodic_display: [false, '30 2 * * *', 24] },
    { name: 'asked for without it' },
  ];
  presentPeriods(rows, 'en', 'Asia/Shanghai');
  expect(rows.map((row) => row.periodic_display)).toEqual([
    'Crontab: 30 2 * * * (Asia/Shanghai)',
    'Every 1000 h',
    '-',
    undefined,
  ]);
  expect(periodColumn()).toBeDefined();
});
