import { parseDatetime } from '@sallyport/contract';

/** Moments from this year on mean that something has no end. */
const FAR_YEAR = 2090;
const YEARS_WITHOUT_END = 70;

/** Whether a moment, as the server writes it or as ISO, means that there is no end. */
export function isWithoutEnd(text: string): boolean {
  const date = parseDatetime(text);
  return date !== undefined && date.getFullYear() >= FAR_YEAR;
}

/** The moment that is stored for no end. */
export function withoutEnd(now = new Date()): Date {
  const date = new Date(now);
  date.setFullYear(now.getFullYear() + YEARS_WITHOUT_END);
  return date;
}
