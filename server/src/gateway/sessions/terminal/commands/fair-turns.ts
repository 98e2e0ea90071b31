/** Shares the processor between sessions: a few work at a time, the others wait in line, and the event loop runs in between. */
export class FairTurns {
  private readonly waiting: (() => void)[] = [];
  private running = 0;
  private readonly atOnce: number;

  constructor(atOnce: number) {
    this.atOnce = atOnce;
  }

  /** Calls `work` when it is its turn; the work calls `release` once. */
  request(work: () => void): void {
    if (this.running >= this.atOnce) {
      this.waiting.push(work);
      return;
    }
    this.running++;
    work();
  }

  /** The turn is over. */
  release(): void {
    setImmediate(() => {
      this.running--;
      const next = this.waiting.shift();
      if (next) this.request(next);
    });
  }
}
