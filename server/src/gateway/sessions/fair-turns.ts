export interface TurnOptions {
  /** Time of all work in one turn of the event loop, in milliseconds. */
  readonly turnMs: number;
  /** Delay before the first queued work, in milliseconds; 0 for the same turn. */
  readonly startMs?: number;
  /** Clock in milliseconds. */
  readonly now?: () => number;
}

/**
 * Shares the processor between sessions: they work in order for a short time, others queue, and the
 * event loop runs between turns.
 */
export class FairTurns {
  private waiting: (() => void)[] = [];
  private isScheduled = false;
  private isWorking = false;
  /** Milliseconds that work took in this turn. */
  private spent = 0;
  private readonly turnMs: number;
  private readonly startMs: number;
  /** Clock in milliseconds. */
  readonly now: () => number;

  constructor({ turnMs, startMs = 0, now = () => performance.now() }: TurnOptions) {
    this.turnMs = turnMs;
    this.startMs = startMs;
    this.now = now;
  }

  /** Calls `work` in a later turn of the event loop. */
  request(work: () => void): void {
    this.waiting.push(work);
    this.schedule();
  }

  /** Calls `work` now if no other work waits and this turn has time left, else in a later turn. */
  run(work: () => void): void {
    if (this.waiting.length > 0 || this.spent >= this.turnMs) {
      this.request(work);
      return;
    }
    this.schedule();
    this.measure(work);
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    if (this.isWorking || this.startMs === 0) setImmediate(this.turn);
    else setTimeout(this.turn, this.startMs);
  }

  private measure(work: () => void): void {
    const began = this.now();
    try {
      work();
    } finally {
      this.spent += this.now() - began;
    }
  }

  private readonly turn = (): void => {
    const works = this.waiting;
    this.waiting = [];
    this.isWorking = true;
    this.spent = 0;
    let done = 0;
    try {
      // Work that is requested meanwhile waits for the next turn.
      for (let work = works[0]; work && this.spent < this.turnMs; work = works[done]) {
        done++;
        this.measure(work);
      }
    } finally {
      this.isWorking = false;
      this.waiting = done < works.length ? [...works.slice(done), ...this.waiting] : this.waiting;
      // A turn without queued work starts the time of the next one.
      this.isScheduled = this.waiting.length > 0 || this.spent > 0;
      if (this.isScheduled) setImmediate(this.turn);
    }
  };
}
