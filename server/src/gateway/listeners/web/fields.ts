/** Returns a string of at most `max` characters without NUL; undefined otherwise. */
export function stringOf(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value.length <= max && !value.includes('\0')
    ? value
    : undefined;
}

/** Returns an integer within limits; undefined otherwise. */
export function integerOf(value: unknown, min: number, max: number): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
    ? value
    : undefined;
}
