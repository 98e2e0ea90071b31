import type { IBuffer, IBufferLine } from '@xterm/headless';

/**
 * Rows that form one line: rows that the terminal wrapped; in a line editor also full rows.
 * 'every cell' also keeps a space that a line editor may have written instead of half a character.
 */
export type Joining = 'wrapped' | 'wrapped or full' | 'every cell';

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
    if (row < last && continues(buffer, row, joining)) text += wholeRow(buffer, row, joining);
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

/** Last row of the line that contains `row`, without empty rows. */
export function lastRowOf(buffer: IBuffer, row: number): number {
  let last = row;
  while (
    continues(buffer, last, 'wrapped or full') &&
    lineAt(buffer, last + 1)?.translateToString(true) !== ''
  )
    last++;
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
    text += wholeRow(buffer, at, joining);
  }
  return text + (buffer.getLine(row)?.translateToString(false, 0, column) ?? '');
}

/** A line editor that moves down with newlines clears the wrap flag, so a full row counts too. */
export function continues(buffer: IBuffer, row: number, joining: Joining): boolean {
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

/** Skips the last cell if a wide character did not fit there. */
function wholeRow(buffer: IBuffer, row: number, joining: Joining): string {
  const line = lineAt(buffer, row);
  if (!line) return '';
  const last = line.length - 1;
  return line.translateToString(
    false,
    0,
    isBlank(line, last) || (joining !== 'every cell' && mayBeFiller(buffer, row))
      ? last
      : line.length,
  );
}

/** Returns true if the text of rows lacks spaces that may belong to the line. */
export function mayLackSpaces(buffer: IBuffer, first: number, last: number): boolean {
  for (let row = first; row < last; row++) if (mayBeFiller(buffer, row)) return true;
  return false;
}

/**
 * Returns true if the last cell has a space before a wide character. It may belong to the line:
 * readline and zsh write a space where a wide character does not fit.
 */
function mayBeFiller(buffer: IBuffer, row: number): boolean {
  const line = lineAt(buffer, row);
  return (
    line?.getCell(line.length - 1)?.getChars() === ' ' &&
    lineAt(buffer, row + 1)
      ?.getCell(0)
      ?.getWidth() === 2
  );
}

function isBlank(line: IBufferLine, column: number): boolean {
  const cell = line.getCell(column);
  return cell !== undefined && cell.getChars() === '' && cell.getWidth() === 1;
}

/** Returns true if the text from a column on has one color, and the text before it another one. */
export function isOtherColorFrom(row: IBufferLine, column: number): boolean {
  const colorOf = (at: number) => {
    const cell = row.getCell(at);
    return cell && cell.getChars().trim() !== ''
      ? `${cell.getFgColorMode()} ${cell.getFgColor()} ${cell.isDim()}`
      : undefined;
  };
  let before: string | undefined;
  for (let at = column - 1; at >= 0 && before === undefined; at--) before = colorOf(at);
  const after = new Set<string | undefined>();
  for (let at = column; at < row.length; at++) after.add(colorOf(at));
  after.delete(undefined);
  return after.size === 1 && before !== undefined && !after.has(before);
}
