import type { Random } from './random.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
/** Most of the sample people live at UTC+8. */
const ZONE = 8 * HOUR;

/** A moment so many days before (or, negative, after) another. */
export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY);
}

/** A working moment some days ago: mostly office hours in China, now and then at night; always at least an hour ago. */
export function workingMoment(random: Random, now: Date, daysAgo: number): Date {
  const midnight = Math.floor((now.getTime() + ZONE - daysAgo * DAY) / DAY) * DAY - ZONE;
  const hour = random.oneIn(9)
    ? random.between(0, 7)
    : random.pick([9, 9, 10, 10, 11, 13, 14, 14, 15, 16, 17, 18, 20, 21]);
  const moment = midnight + hour * HOUR + random.between(0, HOUR - 1);
  // What would lie in the future today is put a day earlier.
  return new Date(moment > now.getTime() - HOUR ? moment - DAY : moment);
}

/** Days ago, with more of them recent than long past. */
export function recentDays(random: Random, most: number): number {
  return Math.floor(random.fraction() ** 1.6 * most);
}
