import { formatDatetime, MOST_BARS, parseDatetime } from '@sallyport/contract';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Widths of a bar in seconds that people can read: they divide or multiply days and weeks. */
const WIDTHS = [
  ...[1, 5, 15, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE],
  ...[HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR, 6 * HOUR, 12 * HOUR],
  ...[DAY, 2 * DAY, 7 * DAY],
];
const LONGEST = 28 * DAY;
/** A Monday; weeks begin there. */
const ORIGIN = Date.UTC(2001, 0, 1);

/** Returns the width of a bar in seconds, for at most {@link MOST_BARS} bars. */
function widthFor(seconds: number): number {
  // The first bar and the last one may be parts of a width.
  const isWide = (width: number) => seconds / width <= MOST_BARS - 1;
  return (
    WIDTHS.find(isWide) ?? LONGEST * Math.max(1, Math.ceil(seconds / (MOST_BARS - 1) / LONGEST))
  );
}

/**
 * Returns the starts of the bars of a time range: `from`, then the full hours, days or weeks of the
 * clock in `zone`. A day on which the clock changes is one bar.
 */
export function barStarts(from: Date, to: Date, zone: string): Date[] {
  const starts = [from];
  const step = widthFor(Math.max(0, to.getTime() - from.getTime()) / 1_000) * 1_000;
  const clock = Date.parse(`${formatDatetime(from, zone).slice(0, 19).replace(' ', 'T')}Z`);
  const first = Math.floor((clock - ORIGIN) / step) * step + ORIGIN;
  for (let next = 1; next < MOST_BARS; next++) {
    const local = new Date(first + next * step);
    const text = Number.isNaN(local.getTime()) ? '' : local.toISOString().slice(0, 19);
    const start = parseDatetime(text, zone);
    if (!start || start > to) break;
    if (start > (starts.at(-1) ?? from)) starts.push(start);
  }
  return starts;
}
