import { MAX_GATHERED, OUTPUT_TURN_MS } from '../../limits.ts';
import { FairTurns } from '../fair-turns.ts';
import { Gather, MAX_KEY } from './gather.ts';

/** Shared by all terminals of this process. */
const turns = new FairTurns({ turnMs: OUTPUT_TURN_MS });

/** Output that waits for its turn above which the target pauses until half of it has passed. */
const MAX_WAITING = 2 * MAX_GATHERED;

/**
 * Batches the output of a target and passes it on in turn with other sessions, so that targets that
 * flood their terminals delay no other session. The echo of a key waits for no turn.
 */
export class TargetOutput {
  private readonly queue: Buffer[] = [];
  private bytes = 0;
  private isHeld = false;
  private isQueued = false;
  /** Stops (`true`) or continues reading from the target. */
  onHold: (on: boolean) => void = () => undefined;
  private readonly pass: (output: Buffer) => void;
  private readonly turns: FairTurns;
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

  private add(piece: Buffer): void {
    if (piece.length <= MAX_KEY && this.queue.length === 0) {
      this.pass(piece);
      return;
    }
    this.queue.push(piece);
    this.bytes += piece.length;
    this.regulate();
    if (this.isQueued) return;
    this.isQueued = true;
    this.turns.run(this.work);
  }

  private readonly work = (): void => {
    this.isQueued = false;
    this.passNext();
    if (this.queue.length === 0 || this.isQueued) return;
    this.isQueued = true;
    this.turns.request(this.work);
  };

  private passNext(): void {
    const piece = this.queue.shift();
    if (!piece) return;
    this.bytes -= piece.length;
    this.pass(piece);
    this.regulate();
  }

  private regulate(): void {
    const isHeld = this.bytes > (this.isHeld ? MAX_WAITING / 2 : MAX_WAITING);
    if (isHeld === this.isHeld) return;
    this.isHeld = isHeld;
    this.onHold(isHeld);
  }
}
