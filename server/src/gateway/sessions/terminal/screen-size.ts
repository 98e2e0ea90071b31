import { MAX_RESIZES, MIN_TERMINAL_SIDE, REDRAW_MS, RESIZE_WINDOW_MS } from '../../limits.ts';
import type { TerminalSize } from '../../protocols/connector.ts';

/**
 * The size of a terminal. A few resizes per window apply at once; of further ones only the last, at
 * the end of the window.
 */
export class ScreenSize {
  private size: TerminalSize;
  private requested: TerminalSize;
  private resizes = 0;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private readonly apply: (size: TerminalSize) => void;

  constructor(size: TerminalSize, apply: (size: TerminalSize) => void) {
    this.size = size;
    this.requested = size;
    this.apply = apply;
  }

  /** The size that applies now. */
  get current(): TerminalSize {
    return this.size;
  }

  request(cols: number, rows: number): void {
    this.requested = { cols, rows };
    if (this.resizes < MAX_RESIZES) this.resize();
  }

  /** Makes a full-screen program redraw, by making its terminal one row smaller for a moment. */
  redraw(resize: (cols: number, rows: number) => void): void {
    const { cols, rows } = this.size;
    if (rows <= MIN_TERMINAL_SIDE) return;
    resize(cols, rows - 1);
    setTimeout(() => {
      if (!this.isStopped) resize(this.size.cols, this.size.rows);
    }, REDRAW_MS);
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private resize(): void {
    const { cols, rows } = this.requested;
    if (this.isStopped || (cols === this.size.cols && rows === this.size.rows)) return;
    this.size = { cols, rows };
    this.resizes++;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.resizes = 0;
      this.resize();
    }, RESIZE_WINDOW_MS);
    this.apply(this.size);
  }
}
