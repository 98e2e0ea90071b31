import { parseDatetime, sayNumber } from '@sallyport/contract';
import { common, language, t } from '../i18n/index.ts';

/**
 * English readers disagree about the order of day and month; Swedish writes the unambiguous
 * year-month-day.
 */
const DATE_TIME = new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'sv-SE', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});

/** Formats a server date in local time; empty for none, “Never” for a date that means no end. */
export function formatDate(text: string | null | undefined): string {
  if (text && isWithoutEnd(text)) return t(common.never);
  const date = text ? (parseDatetime(text) ?? new Date(text)) : undefined;
  return date && !Number.isNaN(date.getTime()) ? DATE_TIME.format(date) : '';
}

/** Formats a number with thousands separators. */
export function formatNumber(value: number): string {
  return sayNumber(value, language);
}

const UNITS = [
  { seconds: 86_400, zh: '天', en: 'd' },
  { seconds: 3_600, zh: '小时', en: 'h' },
  { seconds: 60, zh: '分钟', en: 'min' },
  { seconds: 1, zh: '秒', en: 's' },
] as const;

/**
 * Formats a duration in its largest fitting unit with one decimal (conformance 9.22); empty up to
 * one second.
 */
export function formatDuration(seconds: number, inLanguage: 'zh' | 'en' = language): string {
  const unit = UNITS.find((one) => seconds / one.seconds > 1);
  if (!unit) return '';
  const [whole, decimal] = (seconds / unit.seconds).toFixed(1).split('.');
  return `${sayNumber(Number(whole), inLanguage)}.${decimal} ${unit[inLanguage]}`;
}

/** Returns the seconds between two server dates, or `undefined` if one is missing. */
export function secondsBetween(start: string | null, end: string | null): number | undefined {
  const from = start ? parseDatetime(start) : undefined;
  const to = end ? parseDatetime(end) : undefined;
  return from && to ? (to.getTime() - from.getTime()) / 1000 : undefined;
}

/** Formats a duration in seconds as `1:02` or `1:02:03`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const pad = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0
    ? `${hours}:${pad(minutes)}:${pad(whole % 60)}`
    : `${minutes}:${pad(whole % 60)}`;
}

/** Dates from this year on mean "no end". */
const FAR_YEAR = 2090;

const YEARS_WITHOUT_END = 70;

/** Returns true if a date, in server format or ISO, means "no end". */
export function isWithoutEnd(text: string): boolean {
  const date = parseDatetime(text);
  return date !== undefined && date.getFullYear() >= FAR_YEAR;
}

/** Returns the date to store for "no end". */
export function withoutEnd(now = new Date()): Date {
  const date = new Date(now);
  date.setFullYear(now.getFullYear() + YEARS_WITHOUT_END);
  return date;
}

const LOCALE = language === 'zh' ? 'zh-CN' : 'en-GB';

const time = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium', hourCycle: 'h23' });

const dateTime = new Intl.DateTimeFormat(LOCALE, {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

/** A time of day in the page's language. */
export function timeText(moment: Date): string {
  return time.format(moment);
}

/** A day and its time in the page's language. */
export function dateTimeText(moment: Date): string {
  return dateTime.format(moment);
}
