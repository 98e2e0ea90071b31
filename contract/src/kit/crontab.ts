/** When something is to be done again and again: the values that each of the five fields allows. */
export interface Crontab {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Days of the month and of the week were both named: either of them will do. */
  readonly isEither: boolean;
}

const LIMITS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

/** The values of one field, such as `*`, `5`, `1-5`, `0,30` or `*` by steps; undefined when it is none. */
function valuesOf(field: string, [low, high]: readonly [number, number]): Set<number> | undefined {
  const values = new Set<number>();
  for (const part of field.split(',')) {
    const found = PART.exec(part);
    if (!found) return undefined;
    const [, first, last, every] = found;
    const step = every === undefined ? 1 : Number(every);
    const from = first === undefined ? low : Number(first);
    // `5/10` goes on to the end, `5` alone does not.
    const to = last !== undefined ? Number(last) : first !== undefined && every === undefined ? from : high;
    if (step < 1 || from < low || to > high || from > to) return undefined;
    for (let value = from; value <= to; value += step) values.add(value);
  }
  return values;
}

/** Reads five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday); undefined for anything else. */
export function parseCrontab(text: string): Crontab | undefined {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== LIMITS.length) return undefined;
  const [minutes, hours, days, months, weekdays] = fields.map((field, index) => valuesOf(field, LIMITS[index] ?? [0, 0]));
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  const [, , day = '', , weekday = ''] = fields;
  return {
    minutes,
    hours,
    days,
    months,
    weekdays: new Set([...weekdays].map((value) => value % 7)),
    isEither: !day.startsWith('*') && !weekday.startsWith('*'),
  };
}

/** Whether the minute of a moment is one of them, by the clock of whoever asks. */
export function isTimeOf({ minutes, hours, days, months, weekdays, isEither }: Crontab, moment: Date): boolean {
  if (!minutes.has(moment.getMinutes()) || !hours.has(moment.getHours()) || !months.has(moment.getMonth() + 1)) return false;
  const [day, weekday] = [days.has(moment.getDate()), weekdays.has(moment.getDay())];
  return isEither ? day || weekday : day && weekday;
}
