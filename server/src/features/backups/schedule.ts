import type { BackupState } from './backups.ts';

const DAY = 86_400_000;
/** A failed backup is repeated after this time. Schedules are not exact. */
const ALMOST_AN_HOUR = 55 * 60_000;

/** The latest time at or before `now` with this hour, in the time zone of the server. */
function latestAt(hour: number, now: Date): Date {
  const at = new Date(now);
  at.setHours(hour, 0, 0, 0);
  if (at > now) at.setDate(at.getDate() - 1);
  return at;
}

/**
 * Returns true if a backup should start: none has started since the last time of the schedule, and
 * no try has failed within the hour.
 */
export function isBackupDue(
  { last_started: last, last_tried: tried, has_failed: hasFailed }: BackupState,
  { hour, everyDays }: { readonly hour: number; readonly everyDays: number },
  now = new Date(),
): boolean {
  if (hasFailed && tried && now.getTime() - tried.getTime() < ALMOST_AN_HOUR) return false;
  return !last || last.getTime() < latestAt(hour, now).getTime() - (everyDays - 1) * DAY;
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
