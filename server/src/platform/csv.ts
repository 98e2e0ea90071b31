/** Without the mark, Excel reads a file in a local encoding. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Beginnings of cells that spreadsheets would run as formulas, and those that look disarmed
 * already. Also after semicolons and tabs, which end a cell in some spreadsheets. A hyphen alone is
 * a text for each of them.
 */
const FORMULA = /(^|[;\t])(?!-(?:$|[;\t]))(?='*[=+\-@\t\r＝＋－＠])/g;
const DISARMED = /(^|[;\t])'(?='*[=+\-@\t\r＝＋－＠])/g;

/**
 * Formats a value as the text of a cell: '' for null, `True` or `False`, JSON for lists and
 * objects. Disarms formulas.
 */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  return value.replace(FORMULA, "$1'");
}

/** Formats a list of names as `a; b`, or as JSON if a name contains a separator. */
export function namesText(value: unknown): string {
  if (!Array.isArray(value)) return cellText(value);
  const isPlain = value.every(
    (name) => typeof name === 'string' && !/[,;，；\r\n]|^\s|\s$|^\[/.test(name),
  );
  return cellText(isPlain ? value.join('; ') : JSON.stringify(value));
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

/**
 * Formats one record with its line end, quoted where needed (RFC 4180). Also quotes semicolons and
 * tabs, because some spreadsheets end a cell at them. `isText` returns true for a cell to quote
 * even if it is empty.
 */
export function csvRecord(cells: readonly string[], isText?: (index: number) => boolean): string {
  return `${cells.map((cell, index) => (/[",;\t\r\n]|^\s|\s$/.test(cell) || (cell === '' && isText?.(index)) ? quoted(cell) : cell)).join(',')}\r\n`;
}

/** Removes the apostrophe that disarms a formula. */
export function armed(cell: string): string {
  return cell.replace(DISARMED, '$1');
}
