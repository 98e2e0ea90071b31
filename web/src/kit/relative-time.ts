import { language } from './i18n/index.ts';

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

/** How far a moment is from now, in its largest unit: in 7 days, 2 hours ago. */
export function formatRelative(date: Date, now: Date): string {
  const seconds = (date.getTime() - now.getTime()) / 1000;
  const { unit, seconds: length } = UNITS.find((one) => Math.abs(seconds) >= one.seconds * 0.95) ?? UNITS[4];
  return RELATIVE.format(Math.round(seconds / length), unit);
}

/** The day of the week of a moment, in short. */
export function formatWeekday(date: Date): string {
  return WEEKDAY.format(date);
}
