/** Widths of columns in pixels that can be chosen, and the step of a key. */
export const MIN_WIDTH = 60;
export const MAX_WIDTH = 800;
export const STEP = 10;

/** A width as far as it is allowed. */
export const widthIn = (width: number) =>
  Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

/** The columns with one of them a place to the left or to the right. */
export function moved(visible: readonly string[], name: string, by: -1 | 1): readonly string[] {
  const from = visible.indexOf(name);
  const to = from + by;
  const other = visible[to];
  return from < 0 || other === undefined ? visible : visible.with(from, other).with(to, name);
}

/** The columns without one, or with it: before the first that comes after it in the order of the list. */
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
