import { textWidth } from '../../../../platform/text-width.ts';
import type { Row } from '../../../sessions/database/result-spool.ts';
import { plainText, tableLines } from '../table.ts';

/** NULL has a color, so that no text looks the same. */
const NULL = '\x1b[2mNULL\x1b[0m';
/** Maximum columns of a listed value; the terminal wraps longer ones. */
const MAX_VALUE = 4096;

/**
 * Draws rows of a result: as a table if it fits, else as lists of names and values. `first` is the
 * number of the first row, from 1.
 */
export function resultLines(
  columns: readonly string[],
  rows: readonly Row[],
  width: number,
  first: number,
): string[] {
  const texts = rows.map((row) => columns.map((_, index) => plainValue(row[index])));
  const widths = columns.map((name, index) =>
    Math.max(textWidth(name), ...texts.map((row) => textWidth(row[index] ?? ''))),
  );
  const needed = widths.reduce((sum, one) => sum + one + 2, -2);
  return needed < width
    ? tableLines(columns, texts, widths)
    : texts.flatMap((row, index) => listLines(columns, row, first + index));
}

const plainValue = (value: string | null | undefined): string =>
  value === null || value === undefined ? NULL : plainText(value);

function listLines(columns: readonly string[], row: readonly string[], number: number): string[] {
  const widest = Math.max(...columns.map((name) => textWidth(name)));
  const values = columns.map(
    (name, index) =>
      `${plainText(name)}${' '.repeat(widest - textWidth(name))}  ` +
      (row[index] ?? '').slice(0, MAX_VALUE),
  );
  return [`\x1b[1m-- ${number} --\x1b[0m`, ...values];
}
