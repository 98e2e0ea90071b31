/**
 * Calls the listener when the network returns and when the page becomes visible. Returns a function
 * that stops it. Does nothing outside of a page.
 */
export function onWakeUp(listener: () => void): () => void {
  if (typeof document === 'undefined') return () => undefined;
  window.addEventListener('online', listener);
  document.addEventListener('visibilitychange', listener);
  return () => {
    window.removeEventListener('online', listener);
    document.removeEventListener('visibilitychange', listener);
  };
}

/** Interval between pings of a silent connection, and the time limit for the answer. */
const ASK_EVERY_MS = 20_000;

const ANSWER_MS = 8_000;

/** A timer that is so late was stopped: the computer slept. */
const SLEPT_MS = 10_000;

/**
 * Detects a dead connection by pings: after sleep or a change of network, a browser can take
 * minutes to notice.
 */
export class Liveness {
  readonly #ask: () => void;
  readonly #dead: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #stopListening: () => void = () => undefined;
  #answer: ReturnType<typeof setTimeout> | undefined;

  constructor(ask: () => void, dead: () => void) {
    this.#ask = ask;
    this.#dead = dead;
  }

  /** Begins to watch. */
  start(): void {
    this.stop();
    let due = Date.now() + ASK_EVERY_MS;
    this.#timer = setInterval(() => {
      const late = Date.now() - due;
      due = Date.now() + ASK_EVERY_MS;
      if (late > SLEPT_MS || this.#answer === undefined) this.check();
    }, ASK_EVERY_MS);
    this.#stopListening = onWakeUp(this.check);
  }

  /** Asks now. */
  readonly check = (): void => {
    clearTimeout(this.#answer);
    this.#ask();
    this.#answer = setTimeout(() => this.#dead(), ANSWER_MS);
  };

  /** Something has come: it works. */
  heard(): void {
    clearTimeout(this.#answer);
    this.#answer = undefined;
  }

  /** Stops watching. */
  stop(): void {
    clearInterval(this.#timer);
    this.heard();
    this.#stopListening();
  }
}
