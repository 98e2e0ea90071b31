import { transition, wallClock } from '../kit/wall-clock.ts';

/** Weekdays as the wire writes them, Monday first. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const MINUTE = 60_000;
const DAY = 24 * 60;
const DAY_MS = DAY * MINUTE;

/** Hours of consecutive weekdays. Minutes of the day; `to` is exclusive, 1440 is midnight. */
export interface WeekHours {
  readonly firstDay: number;
  readonly lastDay: number;
  readonly from: number;
  readonly to: number;
}

const FORMAT = /^([A-Z][a-z]{2})(?:-([A-Z][a-z]{2}))? (\d{2}):([0-5]\d)-(\d{2}):([0-5]\d)$/;

/**
 * Parses hours such as `Mon-Fri 08:00-18:00` or `Sat 22:00-24:00`. Returns undefined if they are
 * malformed, empty or cross midnight.
 */
export function parseWeekHours(text: string): WeekHours | undefined {
  const [, first, last = first, ...times] = FORMAT.exec(text) ?? [];
  const names: readonly string[] = WEEKDAYS;
  const dayOf = (name = '') => names.indexOf(name);
  const [firstDay, lastDay] = [dayOf(first), dayOf(last)];
  const [hour, minute, endHour, endMinute] = times.map(Number);
  const [from, to] = [Number(hour) * 60 + Number(minute), Number(endHour) * 60 + Number(endMinute)];
  const isValid = firstDay >= 0 && lastDay >= firstDay && from < to && to <= DAY;
  return isValid ? { firstDay, lastDay, from, to } : undefined;
}

const clock = (minutes: number) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** Writes hours in the form that `parseWeekHours` reads. */
export function formatWeekHours({ firstDay, lastDay, from, to }: WeekHours): string {
  const days = [WEEKDAYS[firstDay], ...(lastDay > firstDay ? [WEEKDAYS[lastDay]] : [])];
  return `${days.join('-')} ${clock(from)}-${clock(to)}`;
}

/** 1 January 1970 was a Thursday. */
const weekdayOf = (wall: number) => (Math.floor(wall / DAY_MS) + 3) % 7;

/** Returns true if the wall clock of a zone is within the hours. */
export function isWithinHours(hours: readonly WeekHours[], zone: string, moment: number): boolean {
  const wall = wallClock(moment, zone);
  const [day, minute] = [weekdayOf(wall), Math.floor((wall % DAY_MS) / MINUTE)];
  return hours.some(
    ({ firstDay, lastDay, from, to }) =>
      day >= firstDay && day <= lastDay && minute >= from && minute < to,
  );
}

/** Returns the day (`YYYY-MM-DD`) and the hour on the wall clock of a zone. */
export function dayAndHourIn(
  zone: string,
  moment: number,
): { readonly day: string; readonly hour: number } {
  const wall = new Date(wallClock(moment, zone));
  return { day: wall.toISOString().slice(0, 10), hour: wall.getUTCHours() };
}

/**
 * Returns the next moment in which `isWithinHours` changes, or infinity. Candidates are the
 * boundaries of each day under the offsets before and after, and changes of the offset themselves:
 * a clock that jumps may jump over a boundary.
 */
export function nextHoursChange(hours: readonly WeekHours[], zone: string, moment: number): number {
  const isWithin = isWithinHours(hours, zone, moment);
  const minutes = [...new Set([0, ...hours.flatMap(({ from, to }) => [from, to])])];
  const today = Math.floor(wallClock(moment, zone) / DAY_MS) * DAY_MS;
  const candidates: number[] = [];
  for (let midnight = today; midnight <= today + 8 * DAY_MS; midnight += DAY_MS) {
    const [early, late] = [midnight - DAY_MS, midnight + 2 * DAY_MS];
    const [before, after] = [wallClock(early, zone) - early, wallClock(late, zone) - late];
    for (const minute of minutes)
      for (const offset of before === after ? [before] : [before, after])
        candidates.push(midnight + minute * MINUTE - offset);
    if (before !== after) candidates.push(transition(early, late, zone));
  }
  return (
    candidates
      .filter((at) => at > moment)
      .sort((one, other) => one - other)
      .find((at) => isWithinHours(hours, zone, at) !== isWithin) ?? Number.POSITIVE_INFINITY
  );
}
