import { OUTPUT_WINDOW } from '@sallyport/contract';

/** Room that must be free before the target is read again, so that it is not stopped and started for each acknowledgement. */
const RESUME_ROOM = 64 * 1024;

/** What else than the person may be unable to follow. */
export type Holder = 'recorder' | 'tracker' | 'log';

/** What the flow acts on. */
export interface FlowEnds {
  send(chunk: Buffer): void;
  /** Stop reading from the target. */
  pause(): void;
  resume(): void;
}

/** Carries output to the person; no more is on its way than the window allows. */
export class OutputFlow {
  private unacknowledged = 0;
  private readonly holders = new Set<Holder>();
  private paused = false;
  private readonly ends: FlowEnds;

  constructor(ends: FlowEnds) {
    this.ends = ends;
  }

  /** Takes output of the target. */
  push(chunk: Buffer): void {
    this.unacknowledged += chunk.length;
    this.ends.send(chunk);
    this.regulate();
  }

  /** The person has seen so many bytes; false when that is more than was sent. */
  acknowledge(bytes: number): boolean {
    if (bytes > this.unacknowledged) return false;
    this.unacknowledged -= bytes;
    this.regulate();
    return true;
  }

  /** Bytes that the person has not confirmed. */
  get waiting(): number {
    return this.unacknowledged;
  }

  /** Something else than the person cannot follow, or can again. */
  hold(holder: Holder, on: boolean): void {
    if (on) this.holders.add(holder);
    else this.holders.delete(holder);
    this.regulate();
  }

  /** Whether the target must not be read at the moment. */
  get isPaused(): boolean {
    return this.paused;
  }

  private regulate(): void {
    const stop =
      this.holders.size > 0 ||
      this.unacknowledged >= (this.paused ? OUTPUT_WINDOW - RESUME_ROOM : OUTPUT_WINDOW);
    if (stop === this.paused) return;
    this.paused = stop;
    if (stop) this.ends.pause();
    else this.ends.resume();
  }
}
