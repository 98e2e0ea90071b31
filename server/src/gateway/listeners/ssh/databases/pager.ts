import type { LineEditor } from '../typing/line-editor.ts';

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
