import type { Random } from './random.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Most sample users live at UTC+8. */
const ZONE = 8 * HOUR;

/** Returns a moment some days before (negative: after) another. */
export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY);
}

/**
 * Returns a working moment some days ago: mostly office hours in China, rarely at night, at least
 * an hour ago.
 */
export function workingMoment(random: Random, now: Date, daysAgo: number): Date {
  const midnight = Math.floor((now.getTime() + ZONE - daysAgo * DAY) / DAY) * DAY - ZONE;
  const hour = random.oneIn(9)
    ? random.between(0, 7)
    : random.pick([9, 9, 10, 10, 11, 13, 14, 14, 15, 16, 17, 18, 20, 21]);
  const moment = midnight + hour * HOUR + random.between(0, HOUR - 1);
  // Move future moments of today back by a day.
  return new Date(moment > now.getTime() - HOUR ? moment - DAY : moment);
}

/** Returns a number of days ago, mostly recent ones. */
export function recentDays(random: Random, most: number): number {
  return Math.floor(random.fraction() ** 1.6 * most);
}
