import type { DesktopView } from '../connector.ts';
import { TO } from './server-messages.ts';

/** Gathers what one piece of a server's bytes makes of it for each side, so that every side gets it at once. */
export class Output {
  private readonly page: Buffer[] = [];
  private readonly record: Buffer[] = [];
  /** For those who watch: the rest of a message that began before, and whole ones. */
  private readonly rest: Buffer[] = [];
  private readonly whole: Buffer[] = [];
  private hasBegun = false;
  /** Whether the bytes so far end with a whole message. */
  isWhole = true;

  add(bytes: Buffer, to: number): void {
    if ((to & TO.page) !== 0) this.page.push(bytes);
    if ((to & TO.record) !== 0) this.record.push(bytes);
    if ((to & TO.viewers) !== 0) (this.hasBegun ? this.whole : this.rest).push(bytes);
  }

  /** A whole message for those who watch begins. */
  begin(): void {
    this.hasBegun = true;
  }

  /** Hands everything over and is empty again. */
  flush(sides: {
    readonly page: (bytes: Buffer) => void;
    readonly record: (bytes: Buffer, isWhole: boolean) => void;
    readonly viewers: Iterable<DesktopView>;
  }): void {
    const isSame = this.page.length === this.record.length;
    const page = Buffer.concat(this.page);
    const record = isSame ? page : Buffer.concat(this.record);
    const [rest, whole] = [Buffer.concat(this.rest), Buffer.concat(this.whole)];
    for (const list of [this.page, this.record, this.rest, this.whole]) list.length = 0;
    this.hasBegun = false;
    if (record.length > 0) sides.record(record, this.isWhole);
    if (page.length > 0) sides.page(page);
    for (const view of sides.viewers) {
      if (rest.length > 0) view(rest, false);
      if (whole.length > 0) view(whole, true);
    }
  }
}
