import { withOwnMemory } from '@sallyport/ssh';
import { MAX_RESIZES, MIN_TERMINAL_SIDE, REDRAW_MS, RESIZE_WINDOW_MS } from '../../limits.ts';
import type { TerminalSize } from '../../protocols/connector.ts';
import { terminalBudget } from '../../shared-budget.ts';
import { ModeScanner } from './commands/mode-scanner.ts';

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

/**
 * Maximum bytes kept for a new screen even if the client has seen everything: a few hundred lines
 * of scrollback.
 */
const KEEP = 128 * 1024;
/**
 * Merge small chunks up to this size: a target that sends single bytes would otherwise fill memory
 * with objects.
 */
const MERGED = 2 * 1024;
const RESET = Buffer.from('\x1bc');
const SECOND_SCREEN = Buffer.from('\x1b[?1049h');

const SECOND_SCREENS: ReadonlySet<number> = new Set([47, 1047, 1049]);
/** Private modes that a program sets once and relies on, with their initial state. */
const OTHER_MODES: ReadonlyMap<number, boolean> = new Map([
  [1, false],
  [7, true],
  [9, false],
  [25, true],
  [1000, false],
  [1002, false],
  [1003, false],
  [1004, false],
  [1006, false],
  [2004, false],
]);
const NUMBERS: ReadonlyMap<number, number> = new Map(
  [...SECOND_SCREENS, ...OTHER_MODES.keys()].map((number) => [number, number]),
);

interface Chunk {
  readonly data: Buffer;
  /** True if the chunk arrived on the alternate screen. */
  readonly alternate: boolean;
}

/**
 * The last output of a session, for a new screen and for a client that reconnects. Positions count
 * bytes since the session began.
 */
export class ScreenTail {
  private readonly scanner = new ModeScanner(NUMBERS);
  private chunks: Chunk[] = [];
  private bytes = 0;
  private total = 0;
  private alternate = false;
  private readonly modes = new Map<number, boolean>();

  /** Adds output. Keeps everything after `seen`, the position that the client has confirmed. */
  push(data: Buffer, seen = this.total + data.length): void {
    const last = this.chunks.at(-1);
    const isMerged = last?.alternate === this.alternate && last.data.length + data.length <= MERGED;
    if (isMerged) this.chunks.pop();
    // A small piece would hold the block of memory that it was cut from.
    const kept =
      data.length > MERGED
        ? data
        : withOwnMemory(() => Buffer.concat(isMerged ? [last.data, data] : [data]));
    this.chunks.push({ data: kept, alternate: this.alternate });
    this.bytes += data.length;
    this.total += data.length;
    this.scanner.scan(data, (number, isSet) => {
      if (SECOND_SCREENS.has(number)) this.alternate = isSet;
      else this.modes.set(number, isSet);
    });
    const keep = Math.max(Math.min(KEEP, terminalBudget.share / 2), this.total - seen);
    while (this.chunks.length > 1 && this.bytes - (this.chunks[0]?.data.length ?? 0) >= keep)
      this.bytes -= this.chunks.shift()?.data.length ?? 0;
  }

  get position(): number {
    return this.total;
  }

  /**
   * True if a snapshot may be incomplete: a full-screen program drew parts of it earlier than we
   * remember.
   */
  get isPartial(): boolean {
    return this.alternate && this.bytes < this.total;
  }

  /** Returns the output after a position, or `undefined` if it is no longer kept. */
  since(position: number): Buffer | undefined {
    const from = position - (this.total - this.bytes);
    return position > this.total || from < 0 ? undefined : this.kept().subarray(from);
  }

  /** Returns bytes that draw approximately the current screen in an empty terminal. */
  snapshot(): Buffer {
    const [first] = this.chunks;
    if (!first) return RESET;
    const isWhole = this.bytes === this.total;
    let output = this.kept();
    // The oldest chunk may start inside a sequence or character, so begin at the next line.
    if (!isWhole) output = output.subarray(output.subarray(0, KEEP / 2).indexOf(0x0a) + 1);
    return Buffer.concat([
      RESET,
      ...(first.alternate ? [SECOND_SCREEN] : []),
      output,
      ...(isWhole ? [] : [this.modesNow()]),
    ]);
  }

  private kept(): Buffer {
    return Buffer.concat(
      this.chunks.map(({ data }) => data),
      this.bytes,
    );
  }

  /** Sets the modes that a program may have changed before the kept output. */
  private modesNow(): Buffer {
    const switched = [...this.modes].filter(([number, isSet]) => isSet !== OTHER_MODES.get(number));
    return Buffer.from(
      switched.map(([number, isSet]) => `\x1b[?${number}${isSet ? 'h' : 'l'}`).join(''),
    );
  }
}
