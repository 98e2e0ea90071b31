const LIMITS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 7],
] as const;
const PART = /^(?:\*|(\d{1,2})(?:-(\d{1,2}))?)(?:\/(\d{1,2}))?$/;

/** Whether a field, such as `*`, `5`, `1-5`, `0,30` or `*` by steps, names values within its limits. */
function isField(field: string, [low, high]: readonly [number, number]): boolean {
  return field.split(',').every((part) => {
    const found = PART.exec(part);
    if (!found) return false;
    const [, first, last, every] = found;
    const from = first === undefined ? low : Number(first);
    const to = last === undefined ? high : Number(last);
    return (every === undefined || Number(every) >= 1) && from >= low && from <= high && to <= high && from <= to;
  });
}

/** Whether a text is a crontab of five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday). */
export function isCrontab(text: string): boolean {
  const fields = text.trim().split(/\s+/);
  return fields.length === LIMITS.length && fields.every((field, index) => isField(field, LIMITS[index] ?? [0, 0]));
}
