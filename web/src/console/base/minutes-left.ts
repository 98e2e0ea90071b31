import { parseDatetime } from '@sallyport/contract';

const MINUTE = 60_000;

/** Minutes until a date, rounded up; 0 once it has passed. */
export const minutesLeft = (date: string): number =>
  Math.max(0, Math.ceil(((parseDatetime(date)?.getTime() ?? 0) - Date.now()) / MINUTE));
