import type { IBuffer, IBufferLine } from '@xterm/headless';

/**
 * Rows that form one line: rows that the terminal wrapped; in a line editor also full rows.
 * 'every cell' also keeps a space that a line editor may have written instead of half a character.
 */
export type Joining = 'wrapped' | 'wrapped or full' | 'every cell';

/** A cell of the buffer. */
interface Place {
  readonly row: number;
  readonly column: number;
}

const isBlankAt = (text: string, at: number) => ' \t\r\n'.includes(text.charAt(at));

/**
 * Returns a text without blanks at its ends. To a shell, other spaces such as U+3000 and U+FEFF are
 * letters of a command, which `trim` would remove.
 */
export function trimBlanks(text: string): string {
  const end = trimBlanksAtEnd(text);
  let from = 0;
  while (from < end.length && isBlankAt(end, from)) from++;
  return end.slice(from);
}

/** Like `trimBlanks`, at the end only. */
export function trimBlanksAtEnd(text: string): string {
  let to = text.length;
  while (to > 0 && isBlankAt(text, to - 1)) to--;
  return text.slice(0, to);
}

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
        row < last
          ? `${line.translateToString(true)}\n`
          : trimBlanksAtEnd(line.translateToString(true));
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
export function textBefore(buffer: IBuffer, { row, column }: Place, joining: Joining): string {
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

/**
 * Returns the place at or after `from` where the last color of a line begins, which ends in
 * `lastRow`; undefined if it begins earlier or all text has this color.
 */
export function beginOfLastColor(buffer: IBuffer, from: Place, lastRow: number): Place | undefined {
  let last: string | undefined;
  let begin: Place | undefined;
  const firstRow = firstRowOf(buffer, lastRow, 'wrapped or full');
  for (let row = lastRow; row >= firstRow; row--) {
    const line = lineAt(buffer, row);
    for (let column = (line?.length ?? 0) - 1; line && column >= 0; column--) {
      const color = colorOf(line, column);
      if (color === undefined) continue;
      last ??= color;
      if (color !== last) return begin;
      if (row < from.row || (row === from.row && column < from.column)) return undefined;
      begin = { row, column };
    }
  }
  return undefined;
}

/** Returns the color of a character; undefined for a blank. */
function colorOf(line: IBufferLine, column: number): string | undefined {
  const cell = line.getCell(column);
  return cell && cell.getChars().trim() !== ''
    ? `${cell.getFgColorMode()} ${cell.getFgColor()} ${cell.isDim()}`
    : undefined;
}

/** Returns a text without blanks. */
export const lettersOf = (text: string): string => text.replace(/[ \t\r\n]/g, '');

/**
 * Returns true if a text on the screen is no echo of a typed one: output followed the prompt at
 * once. A long line may have a mark instead of its beginning, and some terminals write question
 * marks.
 */
export function isOther(screen: string, typed: string): boolean {
  const [seen, wanted] = [lettersOf(screen).toLowerCase(), lettersOf(typed).toLowerCase()];
  if (wanted === '' || seen === '') return seen !== '';
  const isBegin = seen[0] === wanted[0] || seen.startsWith('?');
  return !isBegin && !wanted.endsWith(seen.slice(1));
}
