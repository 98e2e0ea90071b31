import { invalid } from '../../../platform/errors.ts';

const DAY = 86_400_000;
/** Default and maximum duration of access. */
const USUAL_DAYS = 7;
const MOST_DAYS = 366;

/** Returns the end of access that names none. */
export const usualEnd = (start: Date): Date => new Date(start.getTime() + USUAL_DAYS * DAY);

/** @throws Invalid if the end is before the start, or too late */
export function assertDates(start: Date, end: Date): void {
  if (end <= start) throw invalid('date_expired', 'date_order');
  if (end.getTime() - start.getTime() > MOST_DAYS * DAY)
    throw invalid('date_expired', 'request_too_long', { max: MOST_DAYS });
}

/** Returns the dates of access that begins at once. Permissions have whole seconds. */
export function fromNow(minutes: number): { date_start: Date; date_expired: Date } {
  const start = Math.floor(Date.now() / 1_000) * 1_000;
  return { date_start: new Date(start), date_expired: new Date(start + minutes * 60_000) };
}
