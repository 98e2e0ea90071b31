/** Output that is shown to the emulator at the beginning of a burst, and again whenever something interesting happens. */
const HEAD = 6 * 1024;
/** Output that is kept of what was passed over, so that the emulator sees the end of the burst, prompt included. */
const TAIL = 8 * 1024;
/** Small chunks are put together, so that single bytes are not kept as as many objects. */
const MERGED = 512;
/** A pause of this long ends a burst. */
const QUIET_MS = 40;

/** Where the output goes that is worth interpreting. */
export interface FeedSink {
  /** A part of the stream without a gap before it. */
  show(chunk: Buffer): void;
  /** Some of the stream was left out here. */
  gap(): void;
}

/**
 * Decides which parts of the output are interpreted. Interpreting everything would cost more than all the rest of a session; a command
 * line is found in the beginning and the end of bursts, and around keys and mode switches.
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

  /** Takes the next output. */
  push(chunk: Buffer): void {
    if (chunk.length === 0) return;
    this.quiet.refresh();
    if (this.skipping) {
      this.keep(chunk);
      return;
    }
    const shown = Math.min(chunk.length, this.budget);
    this.budget -= shown;
    if (shown > 0) this.sink.show(shown === chunk.length ? chunk : chunk.subarray(0, shown));
    if (shown === chunk.length) return;
    this.skipping = true;
    this.keep(chunk.subarray(shown));
  }

  /** Something happened that needs the screen as it is now: shows the end of what was passed over, and attends for a while. */
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
    if (last && last.length + chunk.length <= MERGED)
      this.tail[this.tail.length - 1] = Buffer.concat([last, chunk]);
    else this.tail.push(chunk);
    this.tailBytes += chunk.length;
    while (this.tail.length > 1 && this.tailBytes - (this.tail[0]?.length ?? 0) >= TAIL) {
      this.tailBytes -= this.tail.shift()?.length ?? 0;
      this.dropped = true;
    }
  }
}
