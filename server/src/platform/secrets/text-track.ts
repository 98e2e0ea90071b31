import { columnsOf } from './columns.ts';
import { CONTEXT, type Mark, SecretScanner } from './secret-scanner.ts';
import { TextMemory } from './text-memory.ts';

const NEWLINE = 0x0a;
const TAB = 0x09;
/** Offset of bytes that were passed on before. */
const PASSED = -(2 ** 40);
/** Bytes of the output noted for one cell, which bounds the work of copies. */
const MAX_ALIASES = 8;
/** First alias of a cell whose own byte was replaced. */
const REPLACED = Number.NEGATIVE_INFINITY;

/** A range of secret text, as offsets in the held output. */
export interface MaskedRange {
  readonly kind: Mark['kind'];
  readonly offsets: readonly number[];
  /** True if the range continues the one before. */
  readonly continues: boolean;
}

/** Found secrets, and the offset from which the output is undecided. */
export interface Scan {
  readonly ranges: readonly MaskedRange[];
  readonly from?: number;
}

/**
 * A text that a reader makes of the output: bytes with their offsets in the held output. The bytes
 * at its front are decided and serve as context. Secrets in the rest may still grow.
 */
export class TextTrack {
  private readonly memory = new TextMemory();
  length = 0;
  /** Length of the context. */
  decided = 0;
  /** Bytes that were forgotten at its front. */
  dropped = 0;
  /**
   * Runs of bytes with consecutive offsets (step 1), or one offset (step 0): their first index, and
   * the offset of that byte.
   */
  private starts: number[] = [];
  private bases: number[] = [];
  private steps: (0 | 1)[] = [];
  /** Offsets of further bytes in the same cell, by index. */
  private aliases = new Map<number, readonly number[]>();
  /** Bytes of the output that were passed on. Offsets are kept from the begin of the output. */
  private passed = 0;
  /** Masked ranges of the context: pairs of indexes. */
  private maskedContext: readonly (readonly [number, number])[] = [];
  private wasMasked = false;
  /** Offsets of bytes that appear in masked cells of the context. */
  private overMasked: number[] = [];
  private readonly scanner: SecretScanner;

  constructor(known: readonly string[]) {
    this.scanner = new SecretScanner(known);
  }

  get bytes(): Buffer {
    return this.memory.bytes;
  }

  put(byte: number, offset: number): void {
    this.memory.reserve(this.length, 1);
    this.addRun(offset);
    this.bytes[this.length++] = byte;
  }

  /** Appends a part of the held output. */
  append(output: Buffer, from: number, to: number): void {
    this.memory.reserve(this.length, to - from);
    this.addRun(from);
    output.copy(this.bytes, this.length, from, to);
    this.length += to - from;
  }

  /** Appends a byte of the output that the terminal shows in several cells. */
  repeat(byte: number, offset: number, count: number): void {
    this.memory.reserve(this.length, count);
    this.addRun(offset, 0);
    this.bytes.fill(byte, this.length, this.length + count);
    this.length += count;
  }

  /** Appends a part of another track, or of this one, with its offsets. */
  copy(track: TextTrack, from: number, to: number): void {
    if (to <= from) return;
    this.memory.reserve(this.length, to - from);
    track.bytes.copy(this.bytes, this.length, from, to);
    const first = track.runAt(from);
    for (let run = first; run < track.starts.length && (track.starts[run] ?? 0) < to; run++) {
      const begin = Math.max(from, track.starts[run] ?? 0);
      const end = Math.min(to, track.starts[run + 1] ?? to);
      const offset = track.offsetIn(run, begin);
      this.addRun(offset, end - begin === 1 ? 1 : (track.steps[run] ?? 1));
      this.length += end - begin;
    }
    if (track.aliases.size === 0) return;
    const start = this.length - (to - from);
    for (let at = from; at < to; at++) {
      const others = track.aliases.get(at);
      if (others) this.aliases.set(start + at - from, others);
    }
  }

  /** Notes that a byte of the output appears in the same cell as the byte at `index`. */
  alias(index: number, offset: number): void {
    // Copies share the list.
    this.aliases.set(index, [...(this.aliases.get(index) ?? []), offset + this.passed]);
  }

  /** Returns true if the cell has as many bytes of the output as are noted. */
  isFull(index: number): boolean {
    return (this.aliases.get(index)?.length ?? 0) >= MAX_ALIASES;
  }

  /** Masks a byte of the output that appears in a masked cell of the context. */
  maskNow(offset: number): void {
    this.overMasked.push(offset);
  }

  /** Replaces the byte at `index`. */
  replace(index: number, byte: number, offset: number): void {
    this.bytes[index] = byte;
    this.aliases.set(index, [REPLACED, offset + this.passed]);
  }

  /** Removes undecided bytes at the end. Returns false if they are decided. */
  truncate(length: number): boolean {
    if (length < this.decided) return false;
    for (let at = length; at < this.length; at++) this.aliases.delete(at);
    this.length = length;
    while ((this.starts.at(-1) ?? -1) >= length) {
      this.starts.pop();
      this.bases.pop();
      this.steps.pop();
    }
    return true;
  }

  /** Returns true if the byte of the context at `index` is masked. */
  isMasked(index: number): boolean {
    return this.maskedContext.some(([from, to]) => from <= index && index < to);
  }

  /** Returns the index after the last newline, at least `from`. */
  lineStart(from: number): number {
    return Math.max(from, this.bytes.subarray(0, this.length).lastIndexOf(NEWLINE) + 1);
  }

  /** Returns the index of the character `columns` before the end; undefined in another line. */
  indexBack(columns: number): number | undefined {
    let left = columns;
    for (let index = this.length - 1; index >= 0 && left > 0; index--) {
      const byte = this.bytes[index] ?? 0;
      if (byte === NEWLINE || byte === TAB) return undefined;
      left -= columnsOf(byte, this.bytes[index + 1] ?? 0);
      if (left <= 0) return index;
    }
    return undefined;
  }

  /**
   * Looks for secrets before the index `limit`; the text after it may be replaced. Returns the
   * masked ranges, and the offset from which the output is undecided (none if all is decided).
   */
  scan(isLast: boolean, limit: number): Scan {
    const before = this.decided;
    const ranges: MaskedRange[] = [];
    if (this.overMasked.length > 0) {
      ranges.push({ kind: 'token', offsets: this.overMasked, continues: true });
      this.overMasked = [];
    }
    const end = Math.max(before, isLast ? this.length : limit);
    if (before === this.length) return { ranges };
    if (before === end) return { ranges, ...this.undecided() };
    const text = this.bytes.toString('latin1', 0, end);
    const { marks, upTo } = this.scanner.scan(text, before, isLast);
    const masked: [number, number][] = this.maskedContext.map(([from, to]) => [from, to]);
    let to = before;
    let continues = this.wasMasked;
    for (const mark of marks) {
      if (mark.from >= upTo) break;
      if (mark.from > to) continues = false;
      to = Math.max(to, Math.min(mark.to, upTo));
      const offsets = this.offsetsOf(mark.from, Math.min(mark.to, upTo));
      ranges.push({ kind: mark.kind, offsets, continues });
      masked.push([mark.from, to]);
      continues = true;
    }
    this.wasMasked = to >= upTo && upTo > before;
    this.maskedContext = masked;
    this.decided = upTo;
    this.compact();
    this.memory.release(this.length);
    return { ranges, ...this.undecided() };
  }

  /** The first `count` bytes of the held output were passed on. */
  pass(count: number): void {
    this.passed += count;
  }

  /** Drops the text: the held output was dropped. */
  drop(): void {
    this.truncate(this.decided);
  }

  private addRun(offset: number, step: 0 | 1 = 1): void {
    const last = this.starts.length - 1;
    const isNext = last >= 0 && this.offsetIn(last, this.length) === offset;
    if (isNext && step === 1 && this.steps[last] === 1) return;
    this.starts.push(this.length);
    this.bases.push(offset + this.passed);
    this.steps.push(step);
  }

  private runAt(index: number): number {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= index) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  private offsetAt(index: number): number {
    const run = this.runAt(index);
    return this.offsetIn(run, index);
  }

  private offsetIn(run: number, index: number): number {
    const step = this.steps[run] ?? 1;
    return (this.bases[run] ?? PASSED) - this.passed + step * (index - (this.starts[run] ?? 0));
  }

  private offsetsOf(from: number, to: number): readonly number[] {
    const offsets: number[] = [];
    for (let at = from; at < to; at++) {
      const others = this.aliases.size > 0 ? this.aliases.get(at) : undefined;
      if (others?.[0] !== REPLACED) offsets.push(this.offsetAt(at));
      for (const other of others ?? []) offsets.push(other - this.passed);
    }
    return offsets.filter((offset) => offset >= 0);
  }

  /** The first offset of the undecided text that was not passed on. */
  private undecided(): { readonly from?: number } {
    const from = this.firstHeld(this.decided);
    return from === undefined ? {} : { from };
  }

  /** The first offset of the text from an index that was not passed on. */
  firstHeld(index: number): number | undefined {
    if (index >= this.length) return undefined;
    let first = Number.POSITIVE_INFINITY;
    for (let run = this.runAt(index); run < this.starts.length; run++) {
      const begin = Math.max(this.starts[run] ?? 0, index);
      const end = this.starts[run + 1] ?? this.length;
      if (this.offsetIn(run, end - 1) >= 0)
        first = Math.min(first, Math.max(0, this.offsetIn(run, begin)));
    }
    for (const [at, offsets] of this.aliases)
      if (at >= index)
        for (const offset of offsets)
          if (offset >= this.passed) first = Math.min(first, offset - this.passed);
    return first < Number.POSITIVE_INFINITY ? first : undefined;
  }

  /** Forgets text before the context. */
  private compact(): void {
    const drop = this.decided - CONTEXT;
    if (drop <= 0) return;
    const run = this.runAt(drop);
    const base = this.offsetIn(run, drop);
    // Copies, because arrays that shrink keep their memory.
    this.bases = this.bases.slice(run);
    this.steps = this.steps.slice(run);
    this.starts = this.starts.slice(run).map((one) => Math.max(0, one - drop));
    this.bases[0] = base + this.passed;
    const { aliases } = this;
    if (aliases.size > 0) this.aliases = new Map();
    for (const [at, offsets] of aliases) if (at >= drop) this.aliases.set(at - drop, offsets);
    this.maskedContext = this.maskedContext
      .map(([from, to]) => [Math.max(0, from - drop), to - drop] as const)
      .filter(([, to]) => to > 0);
    this.bytes.copyWithin(0, drop, this.length);
    this.length -= drop;
    this.decided -= drop;
    this.dropped += drop;
  }
}
