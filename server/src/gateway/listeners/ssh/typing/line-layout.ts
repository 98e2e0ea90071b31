import { textWidth } from '../../../../platform/text-width.ts';

/** A place in a terminal, counted from where a prompt begins. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/** Where the cursor is behind a text that begins in the first column of a terminal; a wide character that does not fit is in the next row. */
export function placeBehind(text: string, columns: number): Place {
  let row = 0;
  let column = 0;
  for (const character of text) {
    const width = textWidth(character);
    if (column + width > columns) {
      row += 1;
      column = 0;
    }
    column += width;
  }
  return column < columns ? { row, column } : { row: row + 1, column: 0 };
}

/** A line that is drawn again in the place of the one before, however many rows of the terminal both have. */
export class DrawnLine {
  private readonly show: (text: string) => void;
  private readonly columns: () => number;
  private cursorRow = 0;

  constructor(show: (text: string) => void, columns: () => number) {
    this.show = show;
    this.columns = columns;
  }

  /** Draws a line with the cursor between two texts. */
  draw(before: string, after: string): void {
    const columns = Math.max(1, this.columns());
    const cursor = placeBehind(before, columns);
    const end = placeBehind(before + after, columns);
    // Behind the last column a terminal waits with the next row until something comes.
    const wrap = end.column === 0 && end.row > 0 ? '\r\n' : '';
    const up = end.row - cursor.row;
    const back = `${up > 0 ? `\x1b[${up}A` : ''}\r${cursor.column > 0 ? `\x1b[${cursor.column}C` : ''}`;
    this.show(`${this.toStart()}\x1b[J${before}${after}${wrap}${after === '' ? '' : back}`);
    this.cursorRow = after === '' ? end.row : cursor.row;
  }

  /** What is drawn next begins a line of its own. */
  leave(): void {
    this.cursorRow = 0;
  }

  private toStart(): string {
    return `${this.cursorRow > 0 ? `\x1b[${this.cursorRow}A` : ''}\r`;
  }
}
