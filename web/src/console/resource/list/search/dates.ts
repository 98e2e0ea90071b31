import { formatDate } from '../../../../kit/format/format.ts';
import { words } from '../words.ts';

const DAY = 86_400_000;

export interface DateRange {
  readonly dateFrom: string;
  readonly dateTo: string;
}

/** The four shortcuts (conformance 9.7). */
export const SHORTCUTS = [
  { label: words.lastDay, days: 1 },
  { label: words.lastWeek, days: 7 },
  { label: words.lastMonth, days: 30 },
  { label: words.lastQuarter, days: 90 },
] as const;

/** Returns the range from `days` ago until now. */
export function lastDays(days: number, now = new Date()): DateRange {
  return {
    dateFrom: new Date(now.getTime() - days * DAY).toISOString(),
    dateTo: now.toISOString(),
  };
}

/**
 * Returns the default range of a list: whole days from 00:00:01 of the first to 23:59:59 of today.
 * The end is in the future, so events during the visit are included.
 */
export function presetRange(days: number, now = new Date()): DateRange {
  const from = new Date(now.getTime() - days * DAY);
  from.setHours(0, 0, 1, 0);
  const to = new Date(now);
  to.setHours(23, 59, 59, 0);
  return { dateFrom: from.toISOString(), dateTo: to.toISOString() };
}

/** The first and the last day of a range, each as its year with separator and its month and day. */
export const rangeDays = ({ dateFrom, dateTo }: DateRange) =>
  [dateFrom, dateTo].map((date) => {
    const day = formatDate(date);
    return { year: day.slice(0, 5), day: day.slice(5, 10) };
  });
