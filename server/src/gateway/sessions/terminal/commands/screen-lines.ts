import type { IBuffer, IBufferLine } from '@xterm/headless';

/** Which rows count as one line: those that the terminal wrapped, or, in a line editor, also those that are full. */
export type Joining = 'wrapped' | 'wrapped or full';

/** The text of some rows as the program wrote it: rows of one line without a break, blanks at the ends of lines gone. */
export function textOfRows(buffer: IBuffer, first: number, last: number, joining: Joining): string {
  let text = '';
  for (let row = first; row <= last; row++) {
    const line = buffer.getLine(row);
    if (!line) continue;
    if (row < last && continues(buffer, row, joining)) text += wholeRow(line);
    else
      text +=
        row < last ? `${line.translateToString(true)}\n` : line.translateToString(true).trimEnd();
  }
  return text;
}

/** The first row of the line that a row belongs to. */
export function firstRowOf(buffer: IBuffer, row: number, joining: Joining): number {
  let first = row;
  while (first > 0 && continues(buffer, first - 1, joining)) first--;
  return first;
}

/** The last row of the line that a row belongs to. */
export function lastRowOf(buffer: IBuffer, row: number): number {
  let last = row;
  while (buffer.getLine(last + 1)?.isWrapped) last++;
  return last;
}

/** What is left of a place in its line, blanks included: at a prompt that awaits the first key, that is the prompt. */
export function textBefore(buffer: IBuffer, row: number, column: number): string {
  let text = '';
  for (let at = firstRowOf(buffer, row, 'wrapped'); at < row; at++) {
    const line = buffer.getLine(at);
    if (line) text += wholeRow(line);
  }
  return text + (buffer.getLine(row)?.translateToString(false, 0, column) ?? '');
}

/** A line editor that moves down by newlines makes the terminal forget that it wrapped; a full row tells it as well. */
function continues(buffer: IBuffer, row: number, joining: Joining): boolean {
  const next = buffer.getLine(row + 1);
  if (!next) return false;
  if (next.isWrapped) return true;
  const line = buffer.getLine(row);
  if (!line || joining === 'wrapped') return false;
  return (
    !isBlank(line, line.length - 1) ||
    (!isBlank(line, line.length - 2) && next.getCell(0)?.getWidth() === 2)
  );
}

/** A wide character that did not fit leaves an unwritten cell at the end of its row; it is no blank of the text. */
function wholeRow(line: IBufferLine): string {
  return line.translateToString(
    false,
    0,
    isBlank(line, line.length - 1) ? line.length - 1 : line.length,
  );
}

function isBlank(line: IBufferLine, column: number): boolean {
  const cell = line.getCell(column);
  return cell !== undefined && cell.getChars() === '' && cell.getWidth() === 1;
}
