/** Limits of a chosen column width and the step of an arrow key, in pixels. */
export const MIN_WIDTH = 60;
export const MAX_WIDTH = 800;
export const STEP = 10;

/** Rounds a width and clamps it to the limits. */
export const widthIn = (width: number) =>
  Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/** Moves one column by one place to the left (-1) or right (1). */
export function moved(visible: readonly string[], name: string, by: -1 | 1): readonly string[] {
  const from = visible.indexOf(name);
  const to = from + by;
  const other = visible[to];
  return from < 0 || other === undefined ? visible : visible.with(from, other).with(to, name);
}

/**
 * Hides or shows a column. A shown column goes before the first column that follows it in the order
 * of the list.
 */
export function toggled(
  visible: readonly string[],
  name: string,
  all: readonly string[],
): readonly string[] {
  if (visible.includes(name)) return visible.filter((one) => one !== name);
  const later = new Set(all.slice(all.indexOf(name) + 1));
  const at = visible.findIndex((one) => later.has(one));
  return at < 0 ? [...visible, name] : visible.toSpliced(at, 0, name);
}
