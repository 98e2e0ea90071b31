import { formatDatetime, parseDatetime } from '@sallyport/contract';
import type { BackupState } from './backups.ts';

const DAY = 86_400_000;
/** A failed backup is repeated after this time. Schedules are not exact. */
const ALMOST_AN_HOUR = 55 * 60_000;

/** The latest time at or before `now` with this hour in a time zone. */
function latestAt(hour: number, zone: string, now: Date): Date {
  const today = formatDatetime(now, zone).slice(0, 10);
  const at = timeOf(today, hour, zone);
  if (at <= now) return at;
  const yesterday = new Date(Date.parse(today) - DAY).toISOString().slice(0, 10);
  return timeOf(yesterday, hour, zone);
}

/** The moment of an hour of a day; of an hour that the clocks skip, the moment after the gap. */
function timeOf(day: string, hour: number, zone: string): Date {
  const text = `${day} ${String(hour).padStart(2, '0')}:00`;
  const moment = parseDatetime(text, zone);
  if (!moment) throw new Error(`there is no time ${text}`);
  return moment;
}

/** When backups are made: at an hour of a time zone, with a number of days between them. */
export interface BackupTimes {
  readonly hour: number;
  readonly zone: string;
  readonly everyDays: number;
}

/**
 * Returns true if a backup should start: none has started since the last time of the schedule, and
 * no try has failed within the hour.
 */
export function isBackupDue(
  { last_started: last, last_tried: tried, has_failed: hasFailed }: BackupState,
  { hour, zone, everyDays }: BackupTimes,
  now = new Date(),
): boolean {
  if (hasFailed && tried && now.getTime() - tried.getTime() < ALMOST_AN_HOUR) return false;
  return !last || last.getTime() < latestAt(hour, zone, now).getTime() - (everyDays - 1) * DAY;
}

/** Limits of the backups to keep. */
export interface Keeping {
  readonly last: number;
  readonly days: number;
}

/**
 * Returns the complete backups that rotation deletes: neither among the last ones nor young. The
 * newest is never among them.
 */
export function outdated<Row extends { readonly date_started: Date }>(
  complete: readonly Row[],
  { last, days }: Keeping,
  now = Date.now(),
): readonly Row[] {
  return complete
    .toSorted((one, other) => other.date_started.getTime() - one.date_started.getTime())
    .slice(Math.max(1, last))
    .filter(({ date_started: date }) => now - date.getTime() > days * DAY);
}
