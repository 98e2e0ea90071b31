import type { Output } from '../connection/terminal-connection.ts';

/** Frames of a desktop that come before what shows them is there; the gateway bounds them. */
export class WaitingFrames {
  #waiting: Output[] = [];
  #taker: ((output: Output) => void) | null = null;

  push(output: Output): void {
    if (this.#taker) this.#taker(output);
    else this.#waiting.push(output);
  }

  /** Gives everything to a taker, from now on as well; nobody takes any more with null. */
  take(taker: ((output: Output) => void) | null): void {
    this.#taker = taker;
    const waiting = this.#waiting;
    this.#waiting = [];
    if (taker) for (const output of waiting) taker(output);
  }
}
