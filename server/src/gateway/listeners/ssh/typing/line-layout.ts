import { textWidth } from '../../../../platform/text-width.ts';

/** A position in a terminal, relative to the start of the prompt. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

/**
 * Returns the cursor position after a text that starts in the first column. A wide character that
 * does not fit moves to the next row.
 */
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

/** A line that is redrawn in place, however many rows it has. */
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
    // After the last column, a terminal wraps only with the next character.
    const wrap = end.column === 0 && end.row > 0 ? '\r\n' : '';
    const up = end.row - cursor.row;
    const right = cursor.column > 0 ? `\x1b[${cursor.column}C` : '';
    const back = `${up > 0 ? `\x1b[${up}A` : ''}\r${right}`;
    this.show(`${this.toStart()}\x1b[J${before}${after}${wrap}${after === '' ? '' : back}`);
    this.cursorRow = after === '' ? end.row : cursor.row;
  }

  /** Starts a new line with the next drawing. */
  leave(): void {
    this.cursorRow = 0;
  }

  private toStart(): string {
    return `${this.cursorRow > 0 ? `\x1b[${this.cursorRow}A` : ''}\r`;
  }
}
