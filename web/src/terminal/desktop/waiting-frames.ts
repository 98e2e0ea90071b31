import type { Output } from '../connection/terminal-connection.ts';

/** Frames that arrive before the picture is ready; the gateway bounds them. */
export class WaitingFrames {
  #waiting: Output[] = [];
  #taker: ((output: Output) => void) | null = null;

  push(output: Output): void {
    if (this.#taker) this.#taker(output);
    else this.#waiting.push(output);
  }

  /** Passes waiting and later frames to a receiver; null removes the receiver. */
  take(taker: ((output: Output) => void) | null): void {
    this.#taker = taker;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (taker) for (const output of waiting) taker(output);
  }
}
