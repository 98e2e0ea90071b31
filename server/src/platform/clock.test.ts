import { afterEach, expect, it, vi } from 'vitest';
import { databaseClock, SessionTimes } from './clock.ts';

afterEach(() => vi.restoreAllMocks());

/** A database whose clock differs from this machine's by some milliseconds. */
const databaseAt = (ahead: number) => ({
  query: (async () => ({ rows: [{ now: Date.now() + ahead }] })) as never,
});
const difference = () => databaseClock.now() - Date.now();

it('takes over a clock that was set at once, and follows a small difference smoothly', async () => {
  await databaseClock.read(databaseAt(7_200_000));
  expect(Math.abs(difference() - 7_200_000)).toBeLessThan(100);
  expect(Math.abs((databaseClock.ahead ?? 0) + 7_200_000)).toBeLessThan(100);
  await databaseClock.read(databaseAt(7_200_800));
  expect(Math.abs(difference() - 7_200_200)).toBeLessThan(100);
  await databaseClock.read(databaseAt(-7_200_000));
  expect(Math.abs(difference() + 7_200_000)).toBeLessThan(100);
});

it('keeps the time of the database when the clock of the machine is set between readings', async () => {
  await databaseClock.read(databaseAt(0));
  const before = databaseClock.now();
  vi.spyOn(Date, 'now').mockReturnValue(before + 86_400_000);
  expect(Math.abs(databaseClock.now() - before)).toBeLessThan(1_000);
});

it('ignores a reading that took too long', async () => {
  await databaseClock.read(databaseAt(0));
  const times = [0, 60_000];
  const real = performance.now.bind(performance);
  const start = real();
  vi.spyOn(performance, 'now').mockImplementation(() => start + (times.shift() ?? real() - start));
  await databaseClock.read(databaseAt(7_200_000));
  expect(Math.abs(difference())).toBeLessThan(1_000);
});

it('keeps the times of a session in order when the clock is put back', () => {
  const times = new SessionTimes();
  const start = Date.now();
  times.begin('one', new Date(start));
  const dates = [0, 5_000, -7_200_000, 4_000, 7_200_000, 0].map((later) =>
    times.of('one', new Date(start + later)),
  );
  expect(dates).toEqual(dates.toSorted((one, other) => one - other));
  expect(dates[1]).toBe(start + 5_000);
  expect(times.of('another', new Date(start - 7_200_000))).toBe(start - 7_200_000);
  times.end('one');
  expect(times.of('one', new Date(start))).toBe(start);
});
