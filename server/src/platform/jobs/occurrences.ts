import {
  type ClockSpan,
  type Crontab,
  clockSpans,
  readCrontab,
  wallClock,
} from '@sallyport/contract';

const MINUTE = 60_000;
const DAY = 86_400_000;

/**
 * 29 February may be eight years away, as 2100 has none. Later days never come, such as 30 February
 * of an older version.
 */
const FARTHEST_DAYS = 9 * 366;

/** Covers a day in every zone: 15 hours from UTC, and a change that skips a day. */
const MARGIN = 2 * DAY;

/**
 * Returns the moment in which the wall clock first reaches a time. A time that clocks skip is
 * reached at the end of the gap, and a time that clocks show twice is reached once.
 */
function firstReached(wall: number, spans: readonly ClockSpan[]): readonly number[] {
  for (const { from, to, offset } of spans)
    if (wall < to + offset) return [Math.max(wall - offset, from)];
  return [];
}

/** Returns each moment in which the wall clock shows a time. */
const allShown = (wall: number, spans: readonly ClockSpan[]): readonly number[] =>
  spans.flatMap(({ from, to, offset }) => {
    const moment = wall - offset;
    return moment >= from && moment < to ? [moment] : [];
  });

/** Returns the first run of a day after a moment; `day` is midnight UTC of the local date. */
function firstOfDay(
  { times, isHourly, isDay }: Crontab,
  day: number,
  after: number,
  zone: string,
): number | undefined {
  if (!isDay(day)) return undefined;
  const spans = clockSpans(day - MARGIN, day + MARGIN, zone);
  const momentsOf = isHourly ? allShown : firstReached;
  const moments = times
    .flatMap((time) => momentsOf(day + time * MINUTE, spans))
    .filter((moment) => moment > after);
  return moments.length > 0 ? Math.min(...moments) : undefined;
}

/**
 * Returns the next run of a crontab after a moment, by the clock of a zone. Each local day and time
 * runs once: a skipped time at the end of the gap, a repeated time the first time. A crontab for
 * every hour goes by real time instead. Undefined if its day never comes.
 * @throws RangeError if the zone is unknown, Error if the crontab is invalid
 */
function nextOfCrontab(text: string, zone: string, after: number): number | undefined {
  const crontab = readCrontab(text);
  if (!crontab) throw new Error('invalid crontab');
  const today = Math.floor(wallClock(Math.floor(after / 1000) * 1000, zone) / DAY) * DAY;
  // Clocks that go back at midnight lead into the day before.
  for (let day = today - DAY; day <= today + FARTHEST_DAYS * DAY; day += DAY) {
    const first = firstOfDay(crontab, day, after, zone);
    if (first === undefined) continue;
    return Math.min(first, firstOfDay(crontab, day + DAY, after, zone) ?? first);
  }
  return undefined;
}

const INTERVAL =
  /^DTSTART:(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\nRRULE:FREQ=MINUTELY;INTERVAL=(\d+)$/;

/** Formats a date for an interval, such as `20260131T083000Z`. */
const startText = (date: Date) => `${date.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;

/** Writes an interval that starts at a date. The start has whole seconds. */
export const intervalExpression = (start: Date, everyMinutes: number): string =>
  `DTSTART:${startText(start)}\nRRULE:FREQ=MINUTELY;INTERVAL=${everyMinutes}`;

/** Returns true for an interval, false for a crontab. */
export const isInterval = (expression: string): boolean => expression.startsWith('DTSTART:');

/** Reads an interval: start and length in milliseconds. Undefined for other expressions. */
function readInterval(
  expression: string,
): { readonly start: number; readonly length: number } | undefined {
  const match = INTERVAL.exec(expression);
  if (!match) return undefined;
  const [year = 0, month = 1, day = 0, hour = 0, minute = 0, second = 0, every = 0] = match
    .slice(1)
    .map(Number);
  const start = Date.UTC(year, month - 1, day, hour, minute, second);
  return every > 0 ? { start, length: every * MINUTE } : undefined;
}

/** Returns true for an interval whose start was written while the clock was ahead. */
export function startsTooLate(expression: string, now: Date): boolean {
  const interval = readInterval(expression);
  return interval !== undefined && interval.start > now.getTime() + interval.length + MINUTE;
}

/**
 * Returns the next run after a moment, of a crontab or of an interval that `intervalExpression`
 * wrote. An interval goes by real time.
 * @throws if the expression is invalid or the zone is unknown
 */
export function nextOccurrence(expression: string, zone: string, after: Date): Date | undefined {
  const interval = readInterval(expression);
  if (!interval) {
    const next = nextOfCrontab(expression, zone, after.getTime());
    return next === undefined ? undefined : new Date(next);
  }
  const { start, length } = interval;
  const passed = Math.max(0, Math.floor((after.getTime() - start) / length) + 1);
  return new Date(start + passed * length);
}
