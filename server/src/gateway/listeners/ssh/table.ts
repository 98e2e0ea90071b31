import { textWidth } from '../../../platform/text-width.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: nothing that is stored may steer a terminal
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** A text without what steers a terminal. */
export const plainText = (text: string): string => text.replace(CONTROLS, ' ');

/** The lines of a table whose columns have room for what is in them; the texts are plain ones, perhaps with colors. */
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

/** Cuts a text to so many columns of a terminal, and fills it up to them. */
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

/** The lines of a table in a terminal of so many columns; its last column has what is left. */
export function drawTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  cols: number,
): string[] {
  const widest = head.map((title, column) =>
    Math.max(textWidth(title), ...rows.map((row) => textWidth(row[column] ?? ''))),
  );
  const most = Math.max(8, Math.floor(cols / head.length));
  const widths = widest.map((width, column) =>
    column < head.length - 1 ? Math.min(width, column === 0 ? width : Math.max(most, 20)) : width,
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
