/**
 * Share of the window that must be free before we read from the target again. It avoids a pause per
 * acknowledgement.
 */
const RESUME_ROOM = 1 / 4;

/** Consumers other than the user that may fall behind. */
export type Holder = 'recorder' | 'tracker' | 'log' | 'turns';

export interface FlowActions {
  /** Maximum unconfirmed bytes now; at most `OUTPUT_WINDOW`. */
  window(): number;
  send(chunk: Buffer): void;
  /** Stop reading from the target. */
  pause(): void;
  resume(): void;
}

/** Sends output to the user and pauses the target when the window is full (back pressure). */
export class OutputFlow {
  private unacknowledged = 0;
  private readonly holders = new Set<Holder>();
  private paused = false;
  /** True from a full window until a share of it is free. */
  private isFull = false;
  private readonly actions: FlowActions;

  constructor(actions: FlowActions) {
    this.actions = actions;
  }

  push(chunk: Buffer): void {
    this.unacknowledged += chunk.length;
    this.actions.send(chunk);
    this.regulate();
  }

  /** Counts bytes that the client confirms. Returns false if it confirms more than we sent. */
  acknowledge(bytes: number): boolean {
    if (bytes > this.unacknowledged) return false;
    this.unacknowledged -= bytes;
    this.regulate();
    return true;
  }

  /** Bytes that the client has not confirmed yet. */
  get waiting(): number {
    return this.unacknowledged;
  }

  /** Marks a consumer as behind (`on`) or caught up. */
  hold(holder: Holder, on: boolean): void {
    if (on) this.holders.add(holder);
    else this.holders.delete(holder);
    this.regulate();
  }

  /** Returns true while reading from the target is paused. */
  get isPaused(): boolean {
    return this.paused;
  }

  private regulate(): void {
    const window = this.actions.window() * (this.isFull ? 1 - RESUME_ROOM : 1);
    this.isFull = this.unacknowledged >= window;
    const stop = this.holders.size > 0 || this.isFull;
    if (stop === this.paused) return;
    this.paused = stop;
    if (stop) this.actions.pause();
    else this.actions.resume();
  }
}
