import { withOwnMemory } from '@sallyport/ssh';

/** Bytes that the emulator interprets at the start of a burst, and after each attended event. */
const HEAD = 6 * 1024;
/**
 * Bytes kept from the skipped output, so that the emulator sees the end of the burst with its
 * prompt.
 */
const TAIL = 8 * 1024;
/** Merge small chunks up to this size, to keep fewer objects. */
const MAX_MERGED = 512;
/** A pause of this length ends a burst. */
const QUIET_MS = 40;

/** Returns output that may wait: a small part of a block would keep the whole block in memory. */
const waitable = (part: Buffer): Buffer =>
  2 * part.length < part.buffer.byteLength ? withOwnMemory(() => Buffer.from(part)) : part;

/** Receives the output that the emulator should interpret. */
export interface FeedSink {
  /** Takes a part of the stream that follows the previous one without a gap. */
  show(chunk: Buffer): void;
  /** Marks a gap in the stream. */
  gap(): void;
}

/**
 * Decides which parts of the output the emulator interprets. Interpreting everything would cost
 * more than the rest of a session. Command lines appear at both ends of bursts, and around keys and
 * mode switches.
 */
export class BurstFeed {
  private budget = HEAD;
  private skipping = false;
  private dropped = false;
  private tail: Buffer[] = [];
  private tailBytes = 0;
  private readonly quiet: NodeJS.Timeout;
  private readonly sink: FeedSink;

  constructor(sink: FeedSink) {
    this.sink = sink;
    this.quiet = setTimeout(() => this.attend(), QUIET_MS);
    this.quiet.unref();
  }

  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.quiet.refresh();
    if (this.skipping) {
      this.keep(chunk);
      return;
    }
    const length = Math.min(chunk.length, this.budget);
    this.budget -= length;
    if (length > 0) this.sink.show(waitable(chunk.subarray(0, length)));
    if (length === chunk.length) return;
    this.skipping = true;
    this.keep(chunk.subarray(length));
  }

  /**
   * Shows the tail of the skipped output and interprets the next bytes: an event needs the current
   * screen.
   */
  attend(): void {
    this.budget = HEAD;
    if (!this.skipping) return;
    this.skipping = false;
    const kept =
      this.tailBytes > TAIL
        ? Buffer.concat(this.tail, this.tailBytes).subarray(-TAIL)
        : Buffer.concat(this.tail, this.tailBytes);
    if (this.dropped || kept.length < this.tailBytes) this.sink.gap();
    this.dropped = false;
    this.tail = [];
    this.tailBytes = 0;
    this.sink.show(kept);
  }

  stop(): void {
    clearTimeout(this.quiet);
  }

  private keep(chunk: Buffer): void {
    const last = this.tail.at(-1);
    const kept = waitable(chunk.subarray(-TAIL));
    this.dropped ||= kept.length < chunk.length;
    if (last && last.length + kept.length <= MAX_MERGED)
      this.tail[this.tail.length - 1] = Buffer.concat([last, kept]);
    else this.tail.push(kept);
    this.tailBytes += kept.length;
    while (this.tail.length > 1 && this.tailBytes - (this.tail[0]?.length ?? 0) >= TAIL) {
      this.tailBytes -= this.tail.shift()?.length ?? 0;
      this.dropped = true;
    }
  }
}
