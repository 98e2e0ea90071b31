import { textWidth } from '../text-width.ts';
import type { SecretCounts, SecretKind } from './formats.ts';
import type { MaskedRange } from './text-track.ts';
import { VisibleTextReader } from './visible-text.ts';

/** Output that may begin a secret waits this long for its rest. */
export const HOLD_MS = 250;
/** Arrivals within this time count as one. */
const SAME_ARRIVAL_MS = 16;
/** Output waiting for its end above which it is decided at once. */
const MAX_HELD = 16 * 1024;
const STAR = 0x2a;
const EMPTY = Buffer.alloc(0);

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

/**
 * Masks secrets in terminal output. Output that may begin a secret is held back for a short time.
 * Marks have the width of the secret, so the layout of the screen does not change.
 */
export class OutputMask {
  readonly counts: SecretCounts = {};
  private readonly options: OutputMaskOptions;
  private readonly reader: VisibleTextReader;
  private held: Buffer = EMPTY;
  /** True if no caller has `held`. */
  private isOwn = false;
  /** Bytes of `held` that were read. */
  private readTo = 0;
  /** Offsets of bytes that marks do not need. */
  private removed: Set<number> = new Set();
  private arrivals: Arrival[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(options: OutputMaskOptions) {
    this.options = options;
    this.reader = new VisibleTextReader(options.cols, options.known);
  }

  push(output: Buffer): void {
    if (output.length === 0) return;
    const at = this.options.now();
    const last = this.arrivals.at(-1);
    if (!last || last.event || at - last.at > SAME_ARRIVAL_MS)
      this.arrivals.push({ offset: this.held.length, at });
    this.isOwn = this.held.length > 0;
    this.held = this.isOwn ? Buffer.concat([this.held, output]) : output;
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
    this.reader.drop(this.held.length);
    this.held = EMPTY;
    this.readTo = 0;
    this.removed = new Set();
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
    this.readTo = this.reader.read(this.held, this.readTo, isLast);
    const { ranges, from } = this.reader.scan(isLast);
    for (const range of ranges) this.mark(range);
    const bytes = Math.min(this.readTo, from ?? this.readTo);
    const part = this.held.subarray(0, bytes);
    const { removed } = this;
    const arrivals = this.take(bytes);
    if (bytes > 0) {
      this.held = bytes === this.held.length ? EMPTY : this.held.subarray(bytes);
      this.readTo -= bytes;
      this.reader.pass(bytes);
      this.removed = new Set([...removed].map((at) => at - bytes).filter((at) => at >= 0));
    }
    if (bytes > 0 || isLast) {
      clearTimeout(this.timer);
      this.timer = undefined;
    }
    if (this.held.length > 0) this.timer ??= setTimeout(() => this.giveUp(), HOLD_MS);
    for (const { at, from, to, event } of arrivals) {
      if (event) event();
      else if (to > from) this.options.onOutput(partOf(part, removed, from, to), at);
    }
  }

  /** Masks a range of the held output. */
  private mark({ kind, offsets, continues }: MaskedRange): void {
    if (!this.isOwn) this.held = Buffer.from(this.held);
    this.isOwn = true;
    const isNew = offsets.some((at) => this.held[at] !== STAR && !this.removed.has(at));
    if (!continues && isNew) this.count(kind);
    for (const at of offsets) maskByte(this.held, at, this.removed);
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
function partOf(output: Buffer, removed: ReadonlySet<number>, from: number, to: number): Buffer {
  if (removed.size === 0) return output.subarray(from, to);
  const bytes: number[] = [];
  for (let at = from; at < to; at++) if (!removed.has(at)) bytes.push(output[at] ?? 0);
  return Buffer.from(bytes);
}
