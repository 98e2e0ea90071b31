import { textWidth } from '../../../platform/text-width.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: stored text must not control a terminal
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** Replaces control characters in a text. */
export const plainText = (text: string): string => text.replace(CONTROLS, ' ');

/** Returns the lines of a table with fitting columns. Texts must be plain, except for colors. */
export function tableLines(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  widths: readonly number[],
): string[] {
  const draw = (row: readonly string[]) =>
    row
      .map(
        (text, column) => text + ' '.repeat(Math.max(0, (widths[column] ?? 0) - textWidth(text))),
      )
      .join('  ')
      .trimEnd();
  return [`\x1b[1m${draw(head.map(plainText))}\x1b[0m`, ...rows.map(draw)];
}

/** Truncates or pads a text to a width in terminal columns. */
function cell(text: string, width: number): string {
  let cut = '';
  let taken = 0;
  for (const character of plainText(text)) {
    const wide = textWidth(character);
    if (taken + wide > width) break;
    cut += character;
    taken += wide;
  }
  return cut + ' '.repeat(width - taken);
}

/** Returns the lines of a table for a terminal width. The last column gets the remaining width. */
export function drawTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  cols: number,
): string[] {
  const naturalWidths = head.map((title, column) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[column] ?? ''))),
  );
  const max = Math.max(8, Math.floor(cols / head.length));
  const widths = naturalWidths.map((width, column) =>
    column < head.length - 1 ? Math.min(width, column === 0 ? width : Math.max(max, 20)) : width,
  );
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0);
  widths[widths.length - 1] = Math.max(4, Math.min(widths.at(-1) ?? 0, cols - before - 1));
  const draw = (row: readonly string[]) =>
    widths
      .map((width, column) => cell(row[column] ?? '', width))
      .join('  ')
      .trimEnd();
  return [`\x1b[1m${draw(head)}\x1b[0m`, ...rows.map(draw)];
}
