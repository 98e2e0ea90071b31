/** Without the mark, Excel reads a file in a local encoding. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Beginnings of cells that spreadsheets would run as formulas, and those that look disarmed
 * already. Also after semicolons and tabs, which end a cell in some spreadsheets.
 */
const FORMULA = /(^|[;\t])(?='*[=+\-@\t\r＝＋－＠])/g;
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

/**
 * Formats one record with its line end, quoted where needed (RFC 4180). Also quotes semicolons and
 * tabs, because some spreadsheets end a cell at them.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** Removes the apostrophe that disarms a formula. */
export function armed(cell: string): string {
  return cell.replace(DISARMED, '$1');
}
