/** Checks numbered answers of a session: none is missing, and how long the longest pause was. */
export class CountedStream {
  /** Numbers that were skipped or came twice. */
  wrong = 0;
  /** Longest time between two answers, in milliseconds. */
  longest = 0;
  hasEnded = false;
  #expected = 0;
  #lastAt = 0;
  #rest = '';

  /** True once the first answer was here. */
  get hasBegun(): boolean {
    return this.#expected > 0;
  }

  /** Takes the next answer. The first one may have any number. */
  take(number: number): void {
    const now = performance.now();
    if (this.hasBegun) {
      if (number !== this.#expected) this.wrong += 1;
      this.longest = Math.max(this.longest, now - this.#lastAt);
    }
    this.#lastAt = now;
    this.#expected = number + 1;
  }

  /** Takes output of a terminal with lines such as `line 7`. */
  takeOutput(bytes: Buffer): void {
    const lines = (this.#rest + bytes.toString('latin1')).split('\r\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const number = /^line (\d+)$/.exec(line)?.[1];
      if (number) this.take(Number(number));
      // A line of the server itself, before the first one of the target.
      else if (this.hasBegun) this.wrong += 1;
    }
  }
}
