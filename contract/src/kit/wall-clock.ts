const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    // Zone names come from requests, so limit the map.
    if (formats.size > 600) formats.clear();
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/**
 * Returns the wall clock of a zone as milliseconds, as if the zone were UTC.
 * @throws RangeError if the zone is unknown
 */
export function wallClock(moment: number, zone: string): number {
  const part = Object.fromEntries(
    formatOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Returns what a zone adds to UTC, in milliseconds, at a moment of whole seconds. */
const offsetAt = (moment: number, zone: string) => wallClock(moment, zone) - moment;

/** Finds the moment between two, of whole seconds, in which the offset of a zone changes. */
export function transition(from: number, to: number, zone: string): number {
  const start = offsetAt(from, zone);
  let [before, after] = [from, to];
  while (after - before > 1000) {
    const middle = before + Math.floor((after - before) / 2000) * 1000;
    if (offsetAt(middle, zone) === start) before = middle;
    else after = middle;
  }
  return after;
}

/** A span in which a zone keeps its offset. Milliseconds; `to` is exclusive. */
export interface ClockSpan {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** No zone changes its clocks twice within a day. */
const STEP = 86_400_000;

/** Splits the time between two moments of whole seconds where a zone changes its clocks. */
export function clockSpans(from: number, to: number, zone: string): readonly ClockSpan[] {
  const spans: ClockSpan[] = [];
  let [start, offset] = [from, offsetAt(from, zone)];
  for (let last = from; last < to; last += STEP) {
    const next = Math.min(last + STEP, to);
    const nextOffset = offsetAt(next, zone);
    if (nextOffset === offset) continue;
    const change = transition(last, next, zone);
    spans.push({ from: start, to: change, offset });
    [start, offset] = [change, nextOffset];
  }
  return [...spans, { from: start, to, offset }];
}
