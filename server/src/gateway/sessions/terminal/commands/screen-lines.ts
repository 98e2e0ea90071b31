import type { IBuffer, IBufferLine } from '@xterm/headless';

/** Rows that form one line: rows that the terminal wrapped; in a line editor also full rows. */
export type Joining = 'wrapped' | 'wrapped or full';

/**
 * Returns a row, or `undefined` after the last one. There xterm.js returns the oldest row once its
 * scrollback is full.
 */
function lineAt(buffer: IBuffer, row: number): IBufferLine | undefined {
  return row < buffer.length ? buffer.getLine(row) : undefined;
}

/**
 * Returns the text of rows as the program wrote it: wrapped rows joined, trailing blanks removed.
 */
export function textOfRows(buffer: IBuffer, first: number, last: number, joining: Joining): string {
  let text = '';
  for (let row = first; row <= last; row++) {
    const line = lineAt(buffer, row);
    if (!line) continue;
    if (row < last && continues(buffer, row, joining)) text += wholeRow(line);
    else
      text +=
        row < last ? `${line.translateToString(true)}\n` : line.translateToString(true).trimEnd();
  }
  return text;
}

/** First row of the line that contains `row`. */
export function firstRowOf(buffer: IBuffer, row: number, joining: Joining): number {
  let first = row;
  while (first > 0 && continues(buffer, first - 1, joining)) first--;
  return first;
}

/** Last row of the line that contains `row`. */
export function lastRowOf(buffer: IBuffer, row: number): number {
  let last = row;
  while (lineAt(buffer, last + 1)?.isWrapped) last++;
  return last;
}

/** Text left of a position in its line, with blanks. Before the first key, that is the prompt. */
export function textBefore(
  buffer: IBuffer,
  { row, column }: { readonly row: number; readonly column: number },
  joining: Joining,
): string {
  let text = '';
  for (let at = firstRowOf(buffer, row, joining); at < row; at++) {
    const line = buffer.getLine(at);
    if (line) text += wholeRow(line);
  }
  return text + (buffer.getLine(row)?.translateToString(false, 0, column) ?? '');
}

/** A line editor that moves down with newlines clears the wrap flag, so a full row counts too. */
function continues(buffer: IBuffer, row: number, joining: Joining): boolean {
  const next = lineAt(buffer, row + 1);
  if (!next) return false;
  if (next.isWrapped) return true;
  const line = lineAt(buffer, row);
  if (!line || joining === 'wrapped') return false;
  return (
    !isBlank(line, line.length - 1) ||
    (!isBlank(line, line.length - 2) && next.getCell(0)?.getWidth() === 2)
  );
}

/** Skips the empty last cell that a wide character left when it did not fit. */
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
