import { onWakeUp } from './liveness.ts';

const FIRST_MS = 500;
const LONGEST_MS = 8_000;

/**
 * Tries something again and again with growing pauses, and at once when the network or the page
 * comes back.
 */
export class Retries {
  readonly #attempt: () => void;
  #pause = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;
  #stopListening: () => void = () => undefined;

  constructor(attempt: () => void) {
    this.#attempt = attempt;
  }

  /** Begins with an attempt at once. */
  start(): void {
    this.stop();
    this.#isRunning = true;
    this.#pause = FIRST_MS;
    this.#stopListening = onWakeUp(this.now);
    this.#attempt();
  }

  /** The attempt has failed: the next one follows after the pause. */
  failed(): void {
    if (!this.#isRunning) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#attempt(), this.#pause);
    this.#pause = Math.min(this.#pause * 2, LONGEST_MS);
  }

  /** Tries without waiting for the end of the pause. */
  readonly now = (): void => {
    if (!this.#isRunning) return;
    clearTimeout(this.#timer);
    this.#pause = FIRST_MS;
    this.#attempt();
  };

  /** Stops trying. */
  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
    this.#stopListening();
  }
}
