import { t } from '../../../../kit/i18n/index.ts';
import { words } from './words.ts';

const HOUR = 60;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** Durations in minutes that forms offer. */
export const LENGTHS = [HOUR, 4 * HOUR, DAY, WEEK] as const;

/** A duration from the approval, or a fixed end as ISO date. */
export type Span = { readonly minutes: number } | { readonly until: string };

/** Writes a duration in the largest unit that divides it: "2 hours", "90 minutes". */
export function lengthText(minutes: number): string {
  const whole = Math.max(1, Math.round(minutes));
  if (whole % WEEK === 0) return t(words.weeks, { count: whole / WEEK });
  if (whole % DAY === 0) return t(words.days, { count: whole / DAY });
  if (whole % HOUR === 0) return t(words.hours, { count: whole / HOUR });
  return t(words.minutes, { count: whole });
}
