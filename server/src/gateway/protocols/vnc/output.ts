import type { DesktopView } from '../connector.ts';
import { TO } from './server-messages.ts';

/** The most bytes of one record. */
const MOST = 1024 * 1024;

/** Gathers what one piece of a server's bytes makes of it for each side, so that every side gets it at once. */
export class Output {
  private readonly page: Buffer[] = [];
  private readonly record: Buffer[] = [];
  /** For those who watch: the rest of a message that began before, and whole ones. */
  private readonly rest: Buffer[] = [];
  private readonly whole: Buffer[] = [];
  private hasBegun = false;
  /** Whole messages of the recording. */
  private readonly recorded: Buffer[] = [];

  add(bytes: Buffer, to: number): void {
    if ((to & TO.page) !== 0) this.page.push(bytes);
    if ((to & TO.record) !== 0) this.record.push(bytes);
    if ((to & TO.viewers) !== 0) (this.hasBegun ? this.whole : this.rest).push(bytes);
  }

  /** A whole message for those who watch begins. */
  begin(): void {
    this.hasBegun = true;
  }

  /** What was added for the recording is a whole message. */
  endRecord(): void {
    this.recorded.push(Buffer.concat(this.record));
    this.record.length = 0;
  }

  /** Hands everything over and is empty again. */
  flush(sides: {
    readonly page: (bytes: Buffer) => void;
    readonly record: (bytes: Buffer, isWhole: boolean) => void;
    readonly viewers: Iterable<DesktopView>;
  }): void {
    const page = Buffer.concat(this.page);
    const begun = Buffer.concat(this.record);
    const [rest, whole] = [Buffer.concat(this.rest), Buffer.concat(this.whole)];
    for (const list of [this.page, this.record, this.rest, this.whole]) list.length = 0;
    this.hasBegun = false;
    for (const message of this.recorded.splice(0)) {
      for (let from = 0; from < message.length; from += MOST)
        sides.record(message.subarray(from, from + MOST), from + MOST >= message.length);
    }
    if (begun.length > 0) sides.record(begun, false);
    if (page.length > 0) sides.page(page);
    for (const view of sides.viewers) {
      if (rest.length > 0) view(rest, false);
      if (whole.length > 0) view(whole, true);
    }
  }
}
