import { textWidth } from '../../../../platform/text-width.ts';
import type { Row } from '../../../sessions/database/result-spool.ts';
import { plainText, tableLines } from '../table.ts';
import type { LineEditor } from '../typing/line-editor.ts';

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

/** Returns the line with a character, cut to the terminal, and a line with a mark below it. */
export function placeLines(text: string, position: number, columns: number): string[] {
  const begin = text.lastIndexOf('\n', position - 1) + 1;
  const end = text.indexOf('\n', position);
  const line = plainText(text.slice(begin, end === -1 ? undefined : end));
  const column = position - begin;
  const from = line.length < columns ? 0 : Math.max(0, column - Math.floor(columns / 2));
  const excerpt = line.slice(from, from + columns - 1);
  return [excerpt, `${' '.repeat(textWidth(excerpt.slice(0, column - from)))}^`];
}

export interface PagerParts {
  readonly editor: Pick<LineEditor, 'key' | 'hasTyped'>;
  readonly show: (text: string) => void;
  /** Rows of the terminal. */
  readonly rows: () => number;
  /** Asks for the key to continue. */
  readonly question: string;
}

/** Shows many lines page by page. */
export class Pager {
  private readonly parts: PagerParts;
  private shown = 0;

  constructor(parts: PagerParts) {
    this.parts = parts;
  }

  /**
   * Shows lines. Returns true if the user wants more. Type-ahead is the next statement and ends the
   * paging.
   */
  async page(lines: readonly string[]): Promise<boolean> {
    const { rows, show } = this.parts;
    for (let at = 0; at < lines.length; ) {
      const room = Math.max(4, rows() - 2) - this.shown;
      if (room <= 0) {
        if (!(await this.wantsMore())) return false;
        continue;
      }
      const part = lines.slice(at, at + room);
      show(part.map((line) => `${line}\r\n`).join(''));
      this.shown += part.length;
      at += part.length;
    }
    return true;
  }

  private async wantsMore(): Promise<boolean> {
    const { editor, show, question } = this.parts;
    if (editor.hasTyped) return false;
    show(`\x1b[7m${question}\x1b[0m`);
    for (;;) {
      const key = await editor.key();
      const isMore = key === '\r' || key === '\n' || key === ' ';
      if (!isMore && key !== undefined && !['q', 'Q', '\x03', '\x04'].includes(key)) continue;
      show('\r\x1b[K');
      this.shown = 0;
      return isMore;
    }
  }
}
