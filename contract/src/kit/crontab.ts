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

/**
 * Returns true for a crontab of five fields: minute, hour, day of month, month, weekday (0 and 7
 * are Sunday). Rejects a day that never comes.
 */
export function isCrontab(text: string): boolean {
  const fields = text.trim().split(/\s+/);
  if (
    fields.length !== LIMITS.length ||
    !fields.every((field, index) => isField(field, LIMITS[index] ?? [0, 0]))
  )
    return false;
  const [, , day = '', month = '', weekday] = fields;
  // Every month has every weekday.
  return weekday !== '*' || hasDay(day, month);
}
