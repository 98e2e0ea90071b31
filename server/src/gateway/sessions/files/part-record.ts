import { within } from '../../../platform/within.ts';
import type { KeptState, KeptUpload } from '../../ports/kept-uploads.ts';
import type { KeptParts } from './kept-parts.ts';
import { WrittenPrefix } from './written-prefix.ts';

/**
 * Time after which an upload is recorded. Most uploads of small files end before; a note on our own
 * disk finds their parts if the server is killed.
 */
const RECORD_MS = 250;
/** Interval between records of the progress, for a server that is killed. */
const PROGRESS_MS = 1000;
/** Time for a record at the end of an upload. Without an answer the part is removed. */
const KEEP_MS = 3000;

interface RecordedPart extends Omit<KeptUpload, 'bytes'> {
  /** Bytes that the part has at the start. */
  readonly start: number;
  /** False for a file that no client can continue, such as a copy. */
  readonly mayContinue: boolean;
}

/**
 * Records a partial file while it exists: a later session of the user continues it, and the server
 * removes it if none does. Failures of the database only mean that it cannot be continued.
 */
export class PartRecord {
  private readonly kept: KeptParts;
  private readonly part: RecordedPart;
  private readonly prefix: WrittenPrefix;
  /** Bytes copied from the existing file; a part without more is not worth keeping. */
  private floor = 0;
  private last: Promise<unknown> = Promise.resolve();
  private timer: NodeJS.Timeout | undefined;
  private recorded: number | undefined;
  private isRecorded: boolean;

  /** `isClaimed`: the part has a record already, which this session has taken over. */
  constructor(kept: KeptParts, part: RecordedPart, isClaimed: boolean) {
    this.kept = kept;
    this.part = part;
    this.prefix = new WrittenPrefix(part.start);
    this.isRecorded = isClaimed;
    if (!isClaimed) kept.began(part);
    if (kept.store) this.follow(RECORD_MS);
  }

  wrote(offset: number, length: number): void {
    this.prefix.add(offset, length);
  }

  truncated(size: number): void {
    this.prefix.cut(size);
  }

  /** The part begins with these bytes of the existing file. */
  copied(size: number): void {
    this.prefix.add(0, size);
    this.floor = size;
  }

  /** Keeps the part for a later session. Returns false if the caller must remove it. */
  async keep(): Promise<boolean> {
    this.stop();
    if (!this.part.mayContinue || this.bytes <= this.floor) return false;
    return this.inTime(this.save('kept'));
  }

  /** The part has moved to its place or was removed. */
  async forget(): Promise<void> {
    this.stop();
    this.kept.ended(this.part.part);
    if (this.isRecorded) await this.inTime(this.next(() => this.kept.forget(this.part.part)));
  }

  /** The part could not be removed: the server tries again later. */
  async removeLater(): Promise<void> {
    this.stop();
    await this.inTime(this.save('unwanted'));
  }

  private get bytes(): number {
    return Math.max(0, this.prefix.end - 1);
  }

  private follow(milliseconds: number): void {
    this.timer = setTimeout(() => {
      if (this.recorded !== this.bytes) void this.save('open').catch(() => undefined);
      this.follow(PROGRESS_MS);
    }, milliseconds);
    this.timer.unref();
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private save(state: KeptState): Promise<boolean> {
    const { bytes } = this;
    const { part, place, replaced } = this.part;
    this.isRecorded = true;
    this.recorded = bytes;
    return this.next(() => this.kept.save({ part, place, bytes, replaced }, state));
  }

  /** Runs changes of the record one after another. */
  private next<Value>(work: () => Promise<Value>): Promise<Value> {
    const next = this.last.then(work);
    this.last = next.catch(() => undefined);
    return next;
  }

  private async inTime(work: Promise<unknown>): Promise<boolean> {
    return (
      (await within(
        work.catch(() => false),
        KEEP_MS,
        () => false,
      )) === true
    );
  }
}
