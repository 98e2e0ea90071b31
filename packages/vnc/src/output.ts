import { TO } from './server-messages.ts';

const MAX_RECORD = 1024 * 1024;

/**
 * Receives bytes for a watcher. `isStart` marks a chunk that begins with a whole message, where
 * skipped bytes may precede.
 */
type View = (bytes: Buffer, isStart: boolean) => void;

/**
 * Collects the output of one chunk of server data for each receiver, so that all receive it
 * together.
 */
export class Output {
  private readonly page: Buffer[] = [];
  private readonly record: Buffer[] = [];
  /** For watchers: the rest of an earlier message, and whole messages. */
  private readonly rest: Buffer[] = [];
  private readonly whole: Buffer[] = [];
  private hasBegun = false;
  /** Whole messages of the recording. */
  private readonly recorded: Buffer[] = [];
  private collected = 0;

  /** Bytes since the last flush. */
  get bytes(): number {
    return this.collected;
  }

  add(bytes: Buffer, to: number): void {
    this.collected += bytes.length;
    if ((to & TO.page) !== 0) this.page.push(bytes);
    if ((to & TO.record) !== 0) this.record.push(bytes);
    if ((to & TO.viewers) !== 0) (this.hasBegun ? this.whole : this.rest).push(bytes);
  }

  /** Marks the start of a whole message for watchers. */
  begin(): void {
    this.hasBegun = true;
  }

  /** Marks the end of a whole message for the recording. */
  endRecord(): void {
    this.recorded.push(Buffer.concat(this.record));
    this.record.length = 0;
  }

  /** Delivers the collected output and clears it. */
  flush(sides: {
    readonly page: (bytes: Buffer) => void;
    readonly record: (bytes: Buffer, isWhole: boolean) => void;
    readonly viewers: Iterable<View>;
  }): void {
    const page = Buffer.concat(this.page);
    const unfinished = Buffer.concat(this.record);
    const [rest, whole] = [Buffer.concat(this.rest), Buffer.concat(this.whole)];
    for (const list of [this.page, this.record, this.rest, this.whole]) list.length = 0;
    this.hasBegun = false;
    this.collected = 0;
    for (const message of this.recorded.splice(0)) {
      for (let from = 0; from < message.length; from += MAX_RECORD)
        sides.record(
          message.subarray(from, from + MAX_RECORD),
          from + MAX_RECORD >= message.length,
        );
    }
    if (unfinished.length > 0) sides.record(unfinished, false);
    if (page.length > 0) sides.page(page);
    for (const view of sides.viewers) {
      if (rest.length > 0) view(rest, false);
      if (whole.length > 0) view(whole, true);
    }
  }
}
