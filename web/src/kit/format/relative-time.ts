import { parseDatetime } from '@sallyport/contract';
import { common, language, t } from '../i18n/index.ts';
import { formatDate, isWithoutEnd } from './format.ts';

const LOCALE = language === 'zh' ? 'zh-CN' : 'en';

const RELATIVE = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });

const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'short' });

const UNITS = [
  { unit: 'year', seconds: 31_536_000 },
  { unit: 'month', seconds: 2_592_000 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const;

/** Formats the distance from now in its largest unit: in 7 days, 2 hours ago. */
export function formatRelative(date: Date, now: Date): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  const { unit, seconds: length } =
    UNITS.find((one) => Math.abs(seconds) >= one.seconds * 0.95) ?? UNITS[4];
  const count = Math.round(seconds / length);
  // The clock of the browser may be a few seconds behind.
  return count === 0 ? t(common.justNow) : RELATIVE.format(count, unit);
}

/** Returns the short weekday of a date. */
export function formatWeekday(date: Date): string {
  return WEEKDAY.format(date);
}

/** Maximum distance in seconds for a relative date; beyond it the day says more. */
const NEAR = 45 * 86_400;

/**
 * Formats a server date for a quick glance: relative, or its day; empty for none, “Never” for a
 * date that means no end.
 */
export function formatNear(text: string, now: Date): string {
  if (isWithoutEnd(text)) return t(common.never);
  const date = parseDatetime(text) ?? new Date(text);
  if (Number.isNaN(date.getTime())) return '';
  return Math.abs(date.getTime() - now.getTime()) / 1000 < NEAR
    ? formatRelative(date, now)
    : (formatDate(text).split(' ')[0] ?? '');
}

/** Formats a server date with time and the time zone of the browser. */
export function formatWithZone(text: string): string {
  const date = parseDatetime(text) ?? new Date(text);
  return isWithoutEnd(text) ? formatDate(text) : `${formatDate(text)} ${zoneName(date)}`;
}

/** Returns the time zone of the browser at a date, such as UTC+8. */
export function zoneName(date: Date): string {
  const minutes = -date.getTimezoneOffset();
  const hours = Math.trunc(Math.abs(minutes) / 60);
  const rest = Math.abs(minutes) % 60;
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest ? `:${String(rest).padStart(2, '0')}` : ''}`;
}

const MINUTE = 60_000;

/** Minutes until a date, rounded up; 0 once it has passed. */
export const minutesLeft = (date: string): number =>
  Math.max(0, Math.ceil(((parseDatetime(date)?.getTime() ?? 0) - Date.now()) / MINUTE));
