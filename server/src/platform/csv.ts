/** Excel takes a file without it for some local encoding. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Beginnings that a spreadsheet would run as a formula, and those that look as if they had been disarmed before; also behind semicolons and tabs, which end a
 * cell in some spreadsheets.
 */
const FORMULA = /(^|[;\t])(?='*[=+\-@\t\r＝＋－＠])/g;
const DISARMED = /(^|[;\t])'(?='*[=+\-@\t\r＝＋－＠])/g;

/** A value as a cell's text: nothing for null, `True` and `False`, JSON for lists and objects; what looks like a formula is disarmed. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return JSON.stringify(value);
  return value.replace(FORMULA, "$1'");
}

/** The names that a cell holds, as people write lists; as JSON where a name could be taken for several. */
export function namesText(value: unknown): string {
  if (!Array.isArray(value)) return cellText(value);
  const isPlain = value.every(
    (name) => typeof name === 'string' && !/[,;，；\r\n]|^\s|\s$|^\[/.test(name),
  );
  return cellText(isPlain ? value.join('; ') : JSON.stringify(value));
}

/**
 * One record, quoted where needed, with its line end (RFC 4180). Semicolons and tabs are quoted as well: some spreadsheets end a cell at them, and what
 * follows would be a cell of its own.
 */
export function csvRecord(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}

/** Takes the disarming apostrophe away again. */
export function armed(cell: string): string {
  return cell.replace(DISARMED, '$1');
}
