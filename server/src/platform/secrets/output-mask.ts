import { textWidth } from '../text-width.ts';
import type { SecretCounts, SecretKind } from './formats.ts';
import { CONTEXT, type Mark, SecretScanner } from './secret-scanner.ts';
import { type VisibleText, VisibleTextReader } from './visible-text.ts';

/** Output that may begin a secret waits this long for its rest. */
export const HOLD_MS = 250;
/** Arrivals within this time count as one. */
const SAME_ARRIVAL_MS = 16;
/** Output waiting for its end above which it is decided at once. */
const MAX_HELD = 16 * 1024;
const STAR = 0x2a;

export interface OutputMaskOptions {
  /** Width of the terminal; 0 if lines are not wrapped. */
  readonly cols: number;
  /** Secrets that are masked wherever they appear. */
  readonly known: readonly string[];
  readonly now: () => number;
  /** Takes masked output, with the time of its arrival. */
  readonly onOutput: (output: Buffer, at: number) => void;
  /** Called for each secret. */
  readonly onMask?: (kind: SecretKind) => void;
}

interface Arrival {
  /** Bytes of the held output before this entry. */
  readonly offset: number;
  readonly at: number;
  /** An event between the bytes. */
  readonly event?: () => void;
}

interface Taken {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly event?: () => void;
}

interface Masked {
  readonly output: Buffer;
  /** Positions of bytes that a mark does not need. */
  readonly removed: ReadonlySet<number>;
}

/**
 * Masks secrets in terminal output. Output that may begin a secret is held back for a short time.
 * Marks have the width of the secret, so the layout of the screen does not change.
 */
export class OutputMask {
  readonly counts: SecretCounts = {};
  private readonly options: OutputMaskOptions;
  private readonly reader: VisibleTextReader;
  private readonly scanner: SecretScanner;
  private held: Buffer = Buffer.alloc(0);
  private arrivals: Arrival[] = [];
  private context = '';
  private wasMasked = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: OutputMaskOptions) {
    this.options = options;
    this.reader = new VisibleTextReader(options.cols);
    this.scanner = new SecretScanner(options.known);
  }

  push(output: Buffer): void {
    if (output.length === 0) return;
    const at = this.options.now();
    const last = this.arrivals.at(-1);
    if (!last || last.event || at - last.at > SAME_ARRIVAL_MS)
      this.arrivals.push({ offset: this.held.length, at });
    this.held = this.held.length === 0 ? output : Buffer.concat([this.held, output]);
    this.advance(this.held.length > MAX_HELD + output.length);
  }

  /** Calls `event` after the output so far, with the time of this call. */
  after(event: (at: number) => void): void {
    const at = this.options.now();
    if (this.held.length === 0) event(at);
    else this.arrivals.push({ offset: this.held.length, at, event: () => event(at) });
  }

  resize(cols: number): void {
    this.reader.resize(cols);
  }

  /** Decides about the held output now. */
  flush(): void {
    if (this.held.length > 0) this.advance(true);
  }

  /** Drops the held output. */
  discard(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.held = Buffer.alloc(0);
    this.arrivals = [];
  }

  /** Decides without more output, unless some has come while the process was busy. */
  private giveUp(): void {
    const { held } = this;
    this.timer = undefined;
    setImmediate(() => {
      if (this.held === held) this.flush();
    });
  }

  private advance(isLast: boolean): void {
    const restore = this.reader.save();
    const visible = this.reader.read(this.held);
    const before = this.context.length;
    const text = this.context + visible.text;
    const { marks, upTo } = this.scanner.scan(text, before, isLast);
    const isWhole = upTo >= text.length;
    const bytes = isWhole ? this.held.length : offsetOf(visible, upTo - before);
    if (!isWhole) {
      // The held rest is read again, so the reader returns to its start.
      restore();
      if (bytes > 0) this.reader.read(this.held, bytes);
    }
    const part = this.masked(visible, marks, { before, upTo, bytes });
    this.context = text.slice(Math.max(0, upTo - CONTEXT), upTo);
    const arrivals = this.take(bytes);
    this.held = bytes > 0 ? Buffer.from(this.held.subarray(bytes)) : this.held;
    if (bytes > 0 || isLast) {
      clearTimeout(this.timer);
      this.timer = undefined;
    }
    if (this.held.length > 0) this.timer ??= setTimeout(() => this.giveUp(), HOLD_MS);
    for (const { at, from, to, event } of arrivals) {
      if (event) event();
      else if (to > from) this.options.onOutput(partOf(part, from, to), at);
    }
  }

  /** Marks the output up to `bytes`. */
  private masked(
    { offsets }: VisibleText,
    marks: readonly Mark[],
    {
      before,
      upTo,
      bytes,
    }: { readonly before: number; readonly upTo: number; readonly bytes: number },
  ): Masked {
    const removed = new Set<number>();
    if (marks.length === 0) {
      if (upTo > before) this.wasMasked = false;
      return { output: this.held.subarray(0, bytes), removed };
    }
    const output = Buffer.from(this.held.subarray(0, bytes));
    let end = before;
    let isAdjacent = this.wasMasked;
    for (const { from, to, kind } of marks) {
      if (from >= upTo) break;
      if (from > end) isAdjacent = false;
      if (!isAdjacent) this.count(kind);
      isAdjacent = true;
      end = Math.max(end, Math.min(to, upTo));
      for (let at = from; at < Math.min(to, upTo); at++)
        maskByte(output, offsets ? (offsets[at - before] ?? 0) : at - before, removed);
    }
    this.wasMasked = end >= upTo && upTo > before;
    return { output, removed };
  }

  private count(kind: SecretKind): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
    this.options.onMask?.(kind);
  }

  /** Removes the arrivals of the first `bytes`, and the events after them. */
  private take(bytes: number): readonly Taken[] {
    const taken: Taken[] = [];
    const left: Arrival[] = [];
    for (const [index, arrival] of this.arrivals.entries()) {
      const { offset, at, event } = arrival;
      if (event) {
        if (offset <= bytes) taken.push({ from: offset, to: offset, at, event });
        else left.push({ ...arrival, offset: offset - bytes });
        continue;
      }
      const next = this.arrivals[index + 1]?.offset ?? this.held.length;
      taken.push({ from: offset, to: Math.min(next, bytes), at });
      if (next > bytes) left.push({ at, offset: Math.max(0, offset - bytes) });
    }
    this.arrivals = left;
    return taken;
  }
}

function offsetOf({ offsets }: VisibleText, at: number): number {
  return offsets ? (offsets[at] ?? 0) : at;
}

/** Masks one byte; of a character of several bytes, as many stars remain as it has columns. */
function maskByte(output: Buffer, at: number, removed: Set<number>): void {
  const byte = output[at] ?? 0;
  if (byte <= 0x20) return;
  output[at] = STAR;
  if (byte < 0xc0) {
    if (byte >= 0x80) removed.add(at);
    return;
  }
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
  const rest = output.subarray(at + 1, at + length);
  const isWide = textWidth(Buffer.from([byte, ...rest]).toString('utf8')) > 1;
  if (isWide && rest.length > 0) output[at + 1] = STAR;
}

/** Returns a part without the bytes that marks have removed. */
function partOf({ output, removed }: Masked, from: number, to: number): Buffer {
  if (removed.size === 0) return output.subarray(from, to);
  const bytes: number[] = [];
  for (let at = from; at < to; at++) if (!removed.has(at)) bytes.push(output[at] ?? 0);
  return Buffer.from(bytes);
}
