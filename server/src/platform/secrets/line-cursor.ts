import { mayHoldSecret } from './find-secrets.ts';
import { CopyBudget, JoinedLine, MAX_PREFIX } from './joined-line.ts';
import { LeftLines } from './left-lines.ts';
import type { TextTrack } from './text-track.ts';

const NEWLINE = 0x0a;
const SPACE = 0x20;
/** Maximum columns that the cursor moves over within a known line. */
export const MAX_BACK = 512;

/** The texts of a line. */
export interface LineTracks {
  readonly shown: TextTrack;
  readonly joined: TextTrack;
  readonly untitled: TextTrack;
}

/** The place of the cursor in its line, and the begin and end of lines. */
export class LineCursor {
  protected readonly shown: TextTrack;
  protected readonly joined: JoinedLine;
  /** Lines without the titles of programs such as screen, which other terminals print. */
  protected readonly untitled: JoinedLine;
  protected isTitle = false;
  protected readonly copies = new CopyBudget();
  protected readonly cols: () => number;
  /** Column of the cursor, counted over wrapped rows. */
  protected column = 0;
  /** Column after the text. */
  protected end = 0;
  /** True if this version of the line follows its last version as a copy. */
  protected isCopy = false;
  /** True while the row has no text since the cursor came to it. */
  protected isFresh = true;
  protected readonly left: LeftLines;
  protected saved = { row: 0, column: 0 };
  /** Offset of a line that may hold the beginning of a secret, while the cursor is elsewhere. */
  private unfinished: number | undefined;

  constructor({ shown, joined, untitled }: LineTracks, cols: () => number) {
    this.shown = shown;
    this.joined = new JoinedLine(joined, shown, this.copies);
    this.untitled = new JoinedLine(untitled, shown, this.copies);
    this.left = new LeftLines(shown);
    this.cols = cols;
  }

  /** The offset from which the output waits for the cursor to come back; undefined for none. */
  get waitsFrom(): number | undefined {
    return this.unfinished;
  }

  /** The first `bytes` of the held output were passed on. */
  pass(bytes: number): void {
    if (this.unfinished === undefined) return;
    this.unfinished -= bytes;
    if (this.unfinished < 0) this.unfinished = undefined;
  }

  /** Allows more copies after `bytes` of output. */
  earn(bytes: number): void {
    this.copies.earn(bytes);
  }

  /**
   * Ends the line, unless the width of the terminal has ended it. Terminals keep the column without
   * a return.
   */
  newline(at: number, hasReturn: boolean): void {
    const cols = this.cols();
    const column = hasReturn || cols === 0 ? 0 : this.columnInRow;
    if (cols > 0 && this.column > 0 && this.column % cols === 0) {
      this.column = 0;
      this.end = 0;
    } else this.endLine(at, column);
    this.unfinished = undefined;
    this.left.moveBy(1);
  }

  endLine(at: number, column = 0): void {
    const { shown } = this;
    if (!this.isFresh)
      this.left.leave(shown.lineStart(Math.max(0, shown.length - MAX_PREFIX)), this.end);
    shown.put(NEWLINE, at);
    this.joined.end(at);
    this.untitled.end(at);
    this.isTitle = false;
    this.column = column;
    this.end = column;
    this.isCopy = false;
    this.isFresh = true;
  }

  /** Moves to the start of the row; `at` is the offset of the byte after the return. */
  return(at: number): void {
    const cols = this.cols();
    const { shown } = this;
    // At the edge, line editors write a space and return to its place.
    const isEdge = cols > 0 && this.column % cols === 1 && this.column > cols;
    if (isEdge && shown.bytes[shown.length - 1] === SPACE && shown.length > shown.decided) {
      shown.truncate(shown.length - 1);
      this.column = 0;
      this.end = 0;
    } else if (this.end - this.rowStart() > MAX_BACK) this.endLine(at);
    else this.moveTo(this.rowStart());
  }

  /** Moves the cursor by columns. */
  move(columns: number): void {
    this.moveTo(Math.max(this.rowStart(), this.column + columns));
  }

  /** Moves the cursor to a column of its row. */
  moveToColumn(column: number): void {
    this.moveTo(this.rowStart() + column);
  }

  /** Column of the cursor in its row. */
  get columnInRow(): number {
    return this.column - this.rowStart();
  }

  /** Moves the cursor to a column of a row that the program names. */
  jump(row: number, column: number, at: number): void {
    this.leave(column, at);
    this.left.moveTo(row);
  }

  /** Moves the cursor up or down, in its column or another one. */
  jumpRow(rows: number, at: number, column = this.columnInRow): void {
    this.leave(column, at);
    this.left.moveBy(rows);
  }

  private leave(column: number, at: number): void {
    this.noteUnfinished();
    if (column === this.columnInRow && this.column === this.end) {
      this.joined.begin(at);
      this.joined.keep(() => this.endLine(at, column));
    } else this.endLine(at, column);
  }

  /** Notes the begin of a line in which a secret may have begun, before the cursor leaves it. */
  private noteUnfinished(): void {
    const { shown } = this;
    if (this.isFresh) return;
    const from = shown.lineStart(Math.max(0, shown.length - MAX_PREFIX));
    if (!mayHoldSecret(shown.bytes.toString('latin1', from, shown.length), true)) return;
    const offset = shown.firstHeld(from);
    if (offset !== undefined) this.unfinished = Math.min(offset, this.unfinished ?? offset);
  }

  /** Called when the text of a line that the cursor had left follows again. */
  protected finish(): void {
    this.unfinished = undefined;
  }

  /** Ends a part of the line that programs show in different places. */
  divide(at: number): void {
    this.joined.begin(at);
    this.shown.put(NEWLINE, at);
    this.isTitle = false;
  }

  /** Begins a title of screen. */
  beginTitle(at: number): void {
    this.untitled.begin(at);
    this.divide(at);
    this.isTitle = true;
  }

  endTitle(): void {
    this.isTitle = false;
  }

  save(): void {
    this.saved = { row: this.left.row, column: this.column };
  }

  restore(at: number): void {
    const { row, column } = this.saved;
    if (row === this.left.row) this.moveTo(column);
    else {
      this.noteUnfinished();
      this.endLine(at, column);
    }
    this.left.backTo(row);
  }

  protected moveTo(column: number): void {
    const cols = this.cols();
    const limit = cols > 0 ? this.rowStart() + cols : this.end + MAX_BACK;
    const target = Math.max(0, Math.min(column, Math.max(limit, this.column)));
    if (target < this.column) this.isCopy = false;
    this.column = target;
  }

  protected rowStart(): number {
    const cols = this.cols();
    return cols > 0 && this.column > 0 ? Math.floor((this.column - 1) / cols) * cols : 0;
  }
}
