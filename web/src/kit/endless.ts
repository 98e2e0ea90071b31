import { parseDatetime } from '@sallyport/contract';

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
