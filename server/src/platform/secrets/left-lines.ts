import type { TextTrack } from './text-track.ts';

/** Lines that are remembered. */
const MAX_LINES = 16;
/** Rows that a program names. They are apart from rows that are only counted. */
const NAMED_ROWS = 1_000_000;

/** A line that the cursor has left, as positions in the track since its begin. */
interface LeftLine {
  readonly row: number;
  readonly from: number;
  readonly to: number;
  /** Column after its text. */
  readonly end: number;
}

/** The row of the cursor, and the lines of other rows while the track still has them. */
export class LeftLines {
  private readonly track: TextTrack;
  private lines: readonly LeftLine[] = [];
  private current = 0;

  constructor(track: TextTrack) {
    this.track = track;
  }

  get row(): number {
    return this.current;
  }

  /** Remembers the text from an index of the track to its end as the line of this row. */
  leave(from: number, end: number): void {
    const { track, current: row } = this;
    const line = { row, from: from + track.dropped, to: track.length + track.dropped, end };
    this.lines = [line, ...this.lines.filter((other) => other.row !== row)].slice(0, MAX_LINES);
  }

  moveBy(rows: number): void {
    this.current += rows;
  }

  /** Moves to a row that the program names. */
  moveTo(row: number): void {
    this.current = NAMED_ROWS + row;
  }

  /** Returns to a row. */
  backTo(row: number): void {
    this.current = row;
  }

  /** Returns the line of this row, if it ends at or before a column. */
  find(column: number): { from: number; to: number; end: number } | undefined {
    const line = this.lines.find(({ row }) => row === this.current);
    const { dropped, length } = this.track;
    if (!line || line.end > column || line.from < dropped || line.to > length + dropped)
      return undefined;
    return { from: line.from - dropped, to: line.to - dropped, end: line.end };
  }

  /** Forgets all lines: their rows may have others. */
  forget(): void {
    if (this.lines.length > 0) this.lines = [];
  }
}
