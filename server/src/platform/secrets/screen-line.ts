import { columnsOf, isUnwrapped, widthOf } from './columns.ts';
import { MAX_PREFIX } from './joined-line.ts';
import { LineCursor, MAX_BACK } from './line-cursor.ts';
import { overwriteText } from './overwrite-text.ts';

const NEWLINE = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const TAB_WIDTH = 8;
/** Copied bytes that one repeated character counts as: a few bytes repeat hundreds. */
const REPEAT_COST = 4;

/**
 * The line of the cursor. Text goes to the `shown` track as the terminal shows it: a line that is
 * changed after a move of the cursor follows again, as changed. The `joined` track has the lines
 * with gaps again, without the gaps: a program also skips text that the screen has already.
 */
export class ScreenLine extends LineCursor {
  /** True while printed text moves the text after the cursor. */
  isInserting = false;

  /** Index in `shown` from which the next output may replace text. */
  get limit(): number {
    return this.column < this.end ? (this.cursorIndex() ?? this.shown.length) : this.shown.length;
  }

  /** True if output without controls may follow as it is. */
  get isPlain(): boolean {
    const isReturned = this.isFresh && this.left.find(this.column) !== undefined;
    return this.column === this.end && !this.joined.isOpen && !this.untitled.isOpen && !isReturned;
  }

  /** Returns true if the width of the terminal ends none of these lines. */
  isUnwrapped(text: string): boolean {
    return isUnwrapped(text, this.column, this.cols());
  }

  /** Appends output without controls. */
  plain(output: Buffer, from: number, to: number): void {
    this.shown.append(output, from, to);
    const newline = output.lastIndexOf(NEWLINE, to - 1);
    const isNewLine = newline >= from;
    if (isNewLine) {
      this.isCopy = false;
      this.left.forget();
    }
    this.isFresh = false;
    const begin = isNewLine ? newline + 1 : from;
    this.column = (isNewLine ? 0 : this.column) + widthOf(output, begin, to);
    this.end = this.column;
  }

  /** Prints a part of the output without controls. */
  print(output: Buffer, from: number, to: number): void {
    let at = from;
    if (this.isFresh) this.comeBack(at);
    if (this.isInserting && this.column < this.end)
      this.shift('insert', widthOf(output, from, to), at);
    while (at < to && this.column < this.end) {
      const next = this.overwrite(output, at, to);
      if (next === at) break;
      at = next;
    }
    if (at === to) return;
    if (this.column > this.end) this.fillGap(at);
    this.shown.append(output, at, to);
    this.joined.append(output, at, to);
    if (!this.isTitle) this.untitled.append(output, at, to);
    this.column += widthOf(output, at, to);
    this.end = this.column;
  }

  /**
   * Repeats the last character: a byte at `offset`, which is negative if it was passed on before.
   * `at` is the offset of the sequence.
   */
  repeat(
    output: Buffer,
    { byte, offset, at }: { readonly byte: number; readonly offset: number; readonly at: number },
    times: number,
  ): void {
    let count = Math.min(times, MAX_PREFIX);
    for (; offset >= 0 && count > 0 && this.column !== this.end; count--)
      this.print(output, offset, offset + 1);
    if (count === 0) return;
    this.isFresh = false;
    const column = this.column + count * columnsOf(byte, output[offset + 1] ?? 0);
    // The line under a character that was passed on is forgotten, and one with endless repetitions.
    if (this.column !== this.end) this.endLine(at, this.column);
    if (this.copies.pay(REPEAT_COST * count)) {
      this.shown.repeat(byte, offset, count);
      this.joined.repeat(byte, offset, count);
      this.column = column;
      this.end = column;
    } else this.endLine(at, column);
  }

  tab(at: number): void {
    const row = this.rowStart();
    const target = row + (Math.floor((this.column - row) / TAB_WIDTH) + 1) * TAB_WIDTH;
    if (this.column === this.end) {
      this.shown.put(TAB, at);
      this.end = target;
    }
    this.column = target;
  }

  /** Continues the line of this row, which the cursor had left. */
  private comeBack(at: number): void {
    this.isFresh = false;
    const { shown } = this;
    const line = this.left.find(this.column);
    if (!line || !this.copies.pay(line.to - line.from)) return;
    this.joined.end(at);
    shown.put(NEWLINE, at);
    shown.copy(shown, line.from, line.to);
    this.finish();
    this.end = line.end;
    this.isCopy = true;
  }

  /** Ends the line when the terminal is reset. */
  reset(at: number): void {
    this.isInserting = false;
    this.erase(true, at);
    this.column = 0;
    this.end = 0;
  }

  /** Erases the text after the cursor, or the line. */
  erase(isWhole: boolean, at: number): void {
    const { column } = this;
    if (isWhole) {
      this.endLine(at, column);
      this.left.forget();
    } else if (column < this.end) this.edit(at, () => undefined);
  }

  /** Changes the text after the cursor: removes, inserts or blanks characters. */
  shift(kind: 'remove' | 'insert' | 'blank', count: number, at: number): void {
    if (this.column >= this.end) return;
    const { shown, column } = this;
    const blanks = Math.min(count, MAX_PREFIX);
    this.edit(at, (copyTail) => {
      if (kind !== 'remove') shown.repeat(SPACE, at, blanks);
      copyTail(kind === 'insert' ? 0 : count);
    });
    this.column = column;
  }

  private fillGap(at: number): void {
    const gap = Math.min(this.column - this.end, MAX_BACK);
    this.joined.begin(at);
    this.shown.repeat(SPACE, at, gap);
    this.end = this.column;
  }

  /** Returns the index of the cell of the cursor; undefined if it is not known. */
  private cursorIndex(): number | undefined {
    const back = this.end - this.column;
    return back <= MAX_BACK && this.copies.pay(back) ? this.shown.indexBack(back) : undefined;
  }

  /**
   * Writes the line again, up to the cursor. `rest` adds the rest; it may copy the text after the
   * cursor without its first columns.
   */
  private edit(at: number, rest: (copyTail: (skip: number) => void) => void): void {
    const index = this.cursorIndex();
    const { shown, column } = this;
    const { length } = shown;
    const from = shown.lineStart(Math.max(0, (index ?? length) - MAX_PREFIX));
    if (index === undefined || !this.copies.pay(length - from)) {
      this.endLine(at, column);
      return;
    }
    this.joined.end(at);
    shown.put(NEWLINE, at);
    shown.copy(shown, from, index);
    const begin = shown.length;
    rest((skip) => shown.copy(shown, Math.min(length, index + skip), length));
    this.end = column + widthOf(shown.bytes, begin, shown.length);
    this.isCopy = true;
  }

  /** Prints over the text after the cursor. Returns the offset of the output that follows. */
  private overwrite(output: Buffer, from: number, to: number): number {
    const { shown } = this;
    const index = this.cursorIndex();
    if (index === undefined) {
      this.endLine(from, this.column);
      return from;
    }
    const isLastCell = this.end - this.column === 1;
    const { at, cell, columns } = overwriteText(shown, output, { from, to, index, isLastCell });
    this.column += columns;
    return at === to || cell === shown.length ? at : this.replace(output, at, to);
  }

  /** Prints other text over the text after the cursor. */
  private replace(output: Buffer, from: number, to: number): number {
    const { shown } = this;
    let cell = this.cursorIndex();
    if (!this.isCopy || (cell !== undefined && (cell < shown.decided || shown.isFull(cell)))) {
      this.edit(from, (copyTail) => copyTail(0));
      cell = this.cursorIndex();
    }
    const old = cell === undefined ? 0 : (shown.bytes[cell] ?? 0);
    if (cell === undefined || cell < shown.decided || (output[from] ?? 0) >= 0x80 || old >= 0x80) {
      // Characters of several bytes do not fit in the place of others: the rest is forgotten.
      if (cell === undefined || !shown.truncate(cell)) this.endLine(from, this.column);
      this.end = this.column;
      return from;
    }
    let at = from;
    for (let index = cell; at < to && index < shown.length; at++, index++) {
      const next = output[at] ?? 0;
      if (next >= 0x80 || (shown.bytes[index] ?? 0) >= 0x80) break;
      shown.replace(index, next, at);
      this.column++;
    }
    return at;
  }
}
