import { expect, it } from 'vitest';
import { isBackupDue } from './schedule.ts';

/** State of an installation whose last backup started at a time. */
const since = (time: string) => ({
  last_started: new Date(time),
  last_tried: new Date(time),
  has_failed: false,
});
const due = (last: string, now: string, zone: string, everyDays = 1) =>
  isBackupDue(
    since(last) as Parameters<typeof isBackupDue>[0],
    { hour: 1, zone, everyDays },
    new Date(now),
  );

it('finds a backup due from the hour in the zone of the installation', () => {
  // 01:00 in Shanghai is 17:00 in UTC.
  expect(due('2026-02-01T17:00:10Z', '2026-02-02T16:59:59Z', 'Asia/Shanghai')).toBe(false);
  expect(due('2026-02-01T17:00:10Z', '2026-02-02T17:00:00Z', 'Asia/Shanghai')).toBe(true);
  expect(due('2026-02-01T01:00:10Z', '2026-02-02T01:00:00Z', 'UTC')).toBe(true);
  expect(due('2026-02-01T01:00:10Z', '2026-02-02T00:59:59Z', 'UTC')).toBe(false);
});

it('waits for the number of days', () => {
  expect(due('2026-02-01T17:00:10Z', '2026-02-03T17:00:00Z', 'Asia/Shanghai', 3)).toBe(false);
  expect(due('2026-02-01T17:00:10Z', '2026-02-04T17:00:00Z', 'Asia/Shanghai', 3)).toBe(true);
});

it('finds one backup due on the days on which clocks change', () => {
  // 01:00 comes once, or is skipped, in Lisbon on 29 March, and comes twice on 25 October 2026.
  expect(due('2026-03-28T01:00:10Z', '2026-03-29T01:00:00Z', 'Europe/Lisbon')).toBe(true);
  expect(due('2026-03-29T01:00:10Z', '2026-03-29T20:00:00Z', 'Europe/Lisbon')).toBe(false);
  expect(due('2026-10-24T00:00:10Z', '2026-10-25T00:59:59Z', 'Europe/Lisbon')).toBe(false);
  expect(due('2026-10-24T00:00:10Z', '2026-10-25T01:00:00Z', 'Europe/Lisbon')).toBe(true);
  expect(due('2026-10-25T01:00:10Z', '2026-10-25T23:59:59Z', 'Europe/Lisbon')).toBe(false);
});
