import { textWidth } from '../../../../platform/text-width.ts';
import type { Row } from '../../../sessions/database/result-spool.ts';
import { plainText, tableLines } from '../table.ts';

/** What NULL looks like: no text of a cell has its color. */
const NULL = '\x1b[2mNULL\x1b[0m';
/** Columns of a value in a list; longer ones go on in the next rows of the terminal. */
const MOST_VALUE = 4096;

/** Some rows of a result as lines for a terminal: a table where it fits, a list of names and values otherwise. `first` is the number of the first row, from 1. */
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
      `${plainText(name)}${' '.repeat(widest - textWidth(name))}  ${(row[index] ?? '').slice(0, MOST_VALUE)}`,
  );
  return [`\x1b[1m-- ${number} --\x1b[0m`, ...values];
}
