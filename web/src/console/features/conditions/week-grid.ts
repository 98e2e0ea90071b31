import { formatWeekHours, parseWeekHours, WEEKDAYS } from '@sallyport/contract';

const HOUR = 60;
const DAY = 24 * HOUR;

/** Covered minutes of each weekday. */
type Week = readonly (readonly boolean[])[];

const weekOf = (texts: readonly string[]): boolean[][] => {
  const week = WEEKDAYS.map(() => new Array<boolean>(DAY).fill(false));
  for (const hours of texts.flatMap((text) => parseWeekHours(text) ?? []))
    for (const day of week.slice(hours.firstDay, hours.lastDay + 1))
      day.fill(true, hours.from, hours.to);
  return week;
};

/** Start and end of the covered spans of a day, such as `480-1080`. */
function spansOf(day: readonly boolean[]): string[] {
  const spans: string[] = [];
  let from = -1;
  for (let minute = 0; minute <= DAY; minute++) {
    const isCovered = day[minute] === true;
    if (isCovered && from < 0) from = minute;
    if (!isCovered && from >= 0) {
      spans.push(`${from}-${minute}`);
      from = -1;
    }
  }
  return spans;
}

/** Writes a week with few entries: consecutive days with the same span share one. */
function textsOf(week: Week): string[] {
  const spans = week.map(spansOf);
  return spans.flatMap((ofDay, firstDay) =>
    ofDay
      .filter((span) => !spans[firstDay - 1]?.includes(span))
      .map((span) => {
        let lastDay = firstDay;
        while (spans[lastDay + 1]?.includes(span)) lastDay += 1;
        const [from = 0, to = 0] = span.split('-').map(Number);
        return formatWeekHours({ firstDay, lastDay, from, to });
      }),
  );
}

export type Coverage = 'all' | 'some' | 'none';

/** Returns the coverage of each hour, by weekday. */
export function coverageOf(texts: readonly string[]): readonly (readonly Coverage[])[] {
  return weekOf(texts).map((day) =>
    Array.from({ length: 24 }, (_, hour) => {
      const minutes = day.slice(hour * HOUR, (hour + 1) * HOUR);
      if (minutes.every(Boolean)) return 'all';
      return minutes.some(Boolean) ? 'some' : 'none';
    }),
  );
}

export interface WeekHour {
  readonly day: number;
  readonly hour: number;
}

/** Returns the entries with these hours on or off. Malformed entries stay. */
export function withHours(
  texts: readonly string[],
  hours: readonly WeekHour[],
  isOn: boolean,
): string[] {
  const week = weekOf(texts);
  for (const { day, hour } of hours) week[day]?.fill(isOn, hour * HOUR, (hour + 1) * HOUR);
  return [...textsOf(week), ...texts.filter((text) => parseWeekHours(text) === undefined)];
}
