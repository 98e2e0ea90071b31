const HOURS_OF_DAY = 24;
const LIMITS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

/**
 * Returns true if a field, such as `*`, `5`, `1-5`, `0,30` or `*` with steps, is within its limits.
 */
function isField(field: string, [low, high]: readonly [number, number]): boolean {
  return field.split(',').every((part) => {
    const match = PART.exec(part);
    if (!match) return false;
    const [, first, last, every] = match;
    const from = first === undefined ? low : Number(first);
    const to = last === undefined ? high : Number(last);
    return (
      (every === undefined || Number(every) >= 1) &&
      from >= low &&
      from <= high &&
      to <= high &&
      from <= to
    );
  });
}

/** Days of each month; February in a leap year. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function valuesOf(field: string, [low, high]: readonly [number, number]): Set<number> {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const [, first, last, every] = PART.exec(part) ?? [];
    const from = first === undefined ? low : Number(first);
    const to =
      last === undefined
        ? first === undefined || every !== undefined
          ? high
          : from
        : Number(last);
    for (let value = from; value <= to; value += Number(every ?? 1)) values.add(value);
  }
  return values;
}

/** Returns true if one of the months has one of the days: 31 February never comes. */
function hasDay(days: string, months: string): boolean {
  const first = Math.min(...valuesOf(days, LIMITS[2]));
  return [...valuesOf(months, LIMITS[3])].some((month) => first <= (DAYS[month - 1] ?? 0));
}

function fieldsOf(text: string): readonly string[] | undefined {
  const fields = text.trim().split(/\s+/);
  const isValid =
    fields.length === LIMITS.length &&
    fields.every((field, index) => isField(field, LIMITS[index] ?? [0, 0]));
  return isValid ? fields : undefined;
}

/**
 * Returns true for a crontab of five fields: minute, hour, day of month, month, weekday (0 and 7
 * are Sunday). Rejects a day that never comes.
 */
export function isCrontab(text: string): boolean {
  const [, , day = '', month = '', weekday] = fieldsOf(text) ?? [];
  if (weekday === undefined) return false;
  // Every month has every weekday.
  return weekday !== '*' || hasDay(day, month);
}

/** A crontab in numbers. */
export interface Crontab {
  /** Minutes of the day, ascending. */
  readonly times: readonly number[];
  /** True if the hours are not limited, so the times are intervals. */
  readonly isHourly: boolean;
  /** Returns true on the days of the crontab; `day` is midnight UTC in milliseconds. */
  readonly isDay: (day: number) => boolean;
}

/** Reads a crontab of five fields. Undefined if a field is invalid. */
export function readCrontab(text: string): Crontab | undefined {
  const fields = fieldsOf(text);
  if (!fields) return undefined;
  const [minutes, hours, days, months, weekdays] = fields.map((field, index) =>
    valuesOf(field, LIMITS[index] ?? [0, 0]),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  // With both set, either may match.
  const isEither = fields[2] !== '*' && fields[4] !== '*';
  return {
    times: [...hours]
      .flatMap((hour) => [...minutes].map((minute) => hour * 60 + minute))
      .sort((one, other) => one - other),
    isHourly: hours.size === HOURS_OF_DAY,
    isDay(day) {
      const date = new Date(day);
      if (!months.has(date.getUTCMonth() + 1)) return false;
      const weekday = date.getUTCDay();
      const isDayOfMonth = days.has(date.getUTCDate());
      const isWeekday = weekdays.has(weekday) || (weekday === 0 && weekdays.has(7));
      return isEither ? isDayOfMonth || isWeekday : isDayOfMonth && isWeekday;
    },
  };
}
