import { CROWD, type FairTurns, Rest, sessionTurns } from '../../../platform/fair-turns.ts';
import { MAX_GATHERED, OUTPUT_PART_MS } from '../../limits.ts';
import { terminalBudget } from '../../shared-budget.ts';
import { Gather, MAX_KEY } from './gather.ts';

/** Shared by all terminals of this process. */
const turns = sessionTurns.lane({ crowd: CROWD });

/** Output that waits for its turn above which the target pauses until half of it has passed. */
const maxWaiting = () => Math.min(MAX_GATHERED, terminalBudget.share / 3);
/** Smallest and first part of the output that passes at once. */
const LEAST_PART = 1024;
const FIRST_PART = 8 * 1024;

/**
 * Batches the output of a target and passes it on in turn with other sessions, so that targets that
 * flood their terminals delay no other session. Output that takes long to read passes in smaller
 * parts. The echo of a key waits for no turn.
 */
export class TargetOutput {
  private readonly queue: Buffer[] = [];
  private bytes = 0;
  private part = FIRST_PART;
  private isHeld = false;
  private isQueued = false;
  private whenPassed: (() => void) | undefined;
  /** Stops (`true`) or continues reading from the target. */
  onHold: (on: boolean) => void = () => undefined;
  private readonly pass: (output: Buffer) => void;
  private readonly turns: FairTurns;
  private readonly rest = new Rest();
  private readonly gathered = new Gather((piece) => this.add(piece));

  constructor(pass: (output: Buffer) => void, shared = turns) {
    this.pass = pass;
    this.turns = shared;
  }

  push(raw: Buffer): void {
    this.gathered.push(raw);
  }

  /** Passes on everything now. */
  flush(): void {
    this.gathered.flush();
    while (this.queue.length > 0) this.passNext();
  }

  /** Passes on a last batch now, and drops the rest, as output that the target still holds. */
  end(): void {
    this.whenPassed = undefined;
    this.gathered.flush();
    for (let left = MAX_GATHERED; left > 0 && this.queue.length > 0; ) left -= this.passNext();
    this.queue.length = 0;
    this.bytes = 0;
  }

  /** Calls `done` once the output so far has passed in its turns; at once if none waits. */
  after(done: () => void): void {
    this.gathered.flush();
    if (this.queue.length === 0) done();
    else this.whenPassed = done;
  }

  private add(piece: Buffer): void {
    const isUrgent = this.rest.interrupt(this.turns.now());
    if (piece.length <= MAX_KEY && this.queue.length === 0) {
      this.pass(piece);
      return;
    }
    this.queue.push(piece);
    this.bytes += piece.length;
    this.regulate();
    if (this.isQueued) return;
    this.isQueued = true;
    this.turns.run(this.work, isUrgent);
  }

  private readonly work = (): void => {
    const began = this.turns.now();
    try {
      const passed = this.passNext();
      this.adapt(passed, this.turns.now() - began);
    } finally {
      // Also after a failure, or the rest would wait for ever.
      this.isQueued = this.queue.length > 0;
      if (this.isQueued) this.turns.request(this.work);
    }
  };

  private adapt(passed: number, milliseconds: number): void {
    if (milliseconds > OUTPUT_PART_MS) this.part = Math.max(LEAST_PART, this.part / 2);
    else if (milliseconds < OUTPUT_PART_MS / 2 && passed === this.part)
      this.part = Math.min(MAX_GATHERED, this.part * 2);
  }

  /** Passes on a part. Returns its length. */
  private passNext(): number {
    const [piece] = this.queue;
    if (!piece) return 0;
    const next = piece.subarray(0, this.part);
    if (next.length === piece.length) this.queue.shift();
    else this.queue[0] = piece.subarray(next.length);
    this.bytes -= next.length;
    this.rest.interrupt(this.turns.now());
    this.pass(next);
    this.regulate();
    const done = this.queue.length === 0 ? this.whenPassed : undefined;
    if (done) {
      this.whenPassed = undefined;
      done();
    }
    return next.length;
  }

  private regulate(): void {
    const isHeld = this.bytes > (this.isHeld ? maxWaiting() / 2 : maxWaiting());
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    this.onHold(isHeld);
  }
}
