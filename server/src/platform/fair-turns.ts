/** Time for the work of all sessions in one turn of the event loop, in milliseconds. */
const TURN_MS = 2;
/** A session without work for this time in milliseconds goes before those that flood. */
const RESTED_MS = 100;

export interface LaneOptions {
  /** Delay before the first queued work, in milliseconds; 0 for the same turn. */
  readonly startMs?: number;
  /**
   * Called at the beginning of each turn. Returns the delay of the queued work in milliseconds; 0
   * for none.
   */
  readonly onTurn?: (isWaiting: boolean) => number;
  /** If more than `above` works wait after a turn, they rest for `restMs`; urgent ones do not. */
  readonly crowd?: { readonly above: number; readonly restMs: number };
}

/**
 * Sessions that flood their terminals at the same time. Their output would take a whole processor,
 * and its garbage would stop all sessions again and again: the rests leave most of the time to
 * others.
 */
export const CROWD = { above: 16, restMs: 4 } as const;

/**
 * Shares each turn of the event loop between the sessions of this process. One time limits the work
 * of all lanes, such as reads, output and emulators: a session that floods every lane delays others
 * by one turn. Lanes work in rotation, and the work of a lane in its order.
 */
export class SharedTurns {
  private readonly lanes: FairTurns[] = [];
  private isScheduled = false;
  /** Milliseconds that work took in this turn. */
  private spent = 0;
  /** The lane that works first in the next turn. */
  private first = 0;
  private readonly turnMs: number;
  /** Clock in milliseconds. */
  readonly now: () => number;

  constructor({ turnMs = TURN_MS, now = () => performance.now() } = {}) {
    this.turnMs = turnMs;
    this.now = now;
  }

  lane(options: LaneOptions = {}): FairTurns {
    const lane = new FairTurns(this, options);
    this.lanes.push(lane);
    return lane;
  }

  /** True while this turn has time for work. */
  get hasTime(): boolean {
    return this.spent < this.turnMs;
  }

  schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.turn);
  }

  /** Does work now and counts its time. */
  measure<Result>(work: () => Result): Result {
    this.schedule();
    const began = this.now();
    try {
      return work();
    } finally {
      this.spent += this.now() - began;
    }
  }

  private readonly turn = (): void => {
    this.isScheduled = false;
    this.spent = 0;
    const { lanes } = this;
    for (const lane of lanes) lane.begin();
    try {
      let isIdle = false;
      while (this.hasTime && !isIdle) {
        isIdle = true;
        for (let count = 0; count < lanes.length && this.hasTime; count++) {
          const next = lanes[this.first];
          this.first = (this.first + 1) % lanes.length;
          if (next?.workOnce()) isIdle = false;
        }
      }
    } finally {
      // Also after a failure, or the rest would wait for ever.
      for (const lane of lanes) lane.finish();
    }
  };
}

/** A kind of work that waits for its turn: each piece of work once in a turn, in their order. */
export class FairTurns {
  private waiting: (() => void)[] = [];
  /** Goes before `waiting`. */
  private urgent: (() => void)[] = [];
  /** Work of this turn. Work that is requested meanwhile waits for the next one. */
  private current: (() => void)[] = [];
  private done = 0;
  private isWorking = false;
  private delay: NodeJS.Timeout | undefined;
  /** True while only urgent work is done. */
  private isResting = false;
  private readonly shared: SharedTurns;
  private readonly options: LaneOptions;

  constructor(shared: SharedTurns, options: LaneOptions) {
    this.shared = shared;
    this.options = options;
  }

  /** Clock in milliseconds. */
  get now(): () => number {
    return this.shared.now;
  }

  /**
   * Calls `work` in a later turn of the event loop. Urgent work goes before other work: the answer
   * to a key before the next part of a flood.
   */
  request(work: () => void, isUrgent = false): void {
    const isFirst = !this.hasQueued;
    if (isUrgent) this.urgent.push(work);
    else this.waiting.push(work);
    if (this.isWorking || (this.delay && !(this.isResting && isUrgent))) return;
    const { startMs = 0 } = this.options;
    if (isFirst && startMs > 0) this.wait(startMs);
    else this.shared.schedule();
  }

  /** Calls `work` now if no other work waits and this turn has time left, else in a later turn. */
  run(work: () => void, isUrgent = false): void {
    if (this.isFree) this.shared.measure(work);
    else this.request(work, isUrgent);
  }

  /** True if no other work waits and this turn has time left. */
  get isFree(): boolean {
    return this.shared.hasTime && !this.isWaiting;
  }

  /** Calls `work` now, and counts its time. */
  measure<Result>(work: () => Result): Result {
    return this.shared.measure(work);
  }

  /** Starts a turn. */
  begin(): void {
    const delayMs = this.options.onTurn?.(this.isWaiting) ?? 0;
    if (delayMs > 0 && !this.delay) this.wait(delayMs);
    if (this.delay && !this.isResting) return;
    this.isWorking = true;
    this.done = 0;
    this.current = this.urgent;
    this.urgent = [];
    if (this.isResting) return;
    this.current = [...this.current, ...this.waiting];
    this.waiting = [];
  }

  /** Does the next work of the turn. Returns false if there is none. */
  workOnce(): boolean {
    const next = this.current[this.done];
    if (!next) return false;
    this.done++;
    this.shared.measure(next);
    return true;
  }

  /** Ends a turn: the rest comes first in the next one. */
  finish(): void {
    this.isWorking = false;
    const rest = this.current.slice(this.done);
    if (rest.length > 0 && this.isResting) this.urgent = [...rest, ...this.urgent];
    else if (rest.length > 0) this.waiting = [...rest, ...this.waiting];
    this.current = [];
    this.done = 0;
    const { crowd } = this.options;
    if (crowd && !this.delay && this.waiting.length > crowd.above) {
      this.isResting = true;
      this.wait(crowd.restMs);
    }
    const isReady = this.isResting ? this.urgent.length > 0 : this.hasQueued && !this.delay;
    if (isReady) this.shared.schedule();
  }

  private get hasQueued(): boolean {
    return this.waiting.length > 0 || this.urgent.length > 0;
  }

  private get isWaiting(): boolean {
    return this.hasQueued || this.done < this.current.length;
  }

  private wait(ms: number): void {
    this.delay = setTimeout(() => {
      this.delay = undefined;
      this.isResting = false;
      this.shared.schedule();
    }, ms);
  }
}

/** Tells whether a session has rested, and so goes before those that flood. */
export class Rest {
  private lastAt = Number.NEGATIVE_INFINITY;

  /** Notes work at a time in milliseconds. Returns true if it follows a rest. */
  interrupt(now: number): boolean {
    const hasRested = now - this.lastAt > RESTED_MS;
    this.lastAt = now;
    return hasRested;
  }
}

/** The turns of this process. */
export const sessionTurns = new SharedTurns();
