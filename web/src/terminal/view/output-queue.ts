import { WholeCharacters } from '@sallyport/contract';
import type { Output } from '../connection/output.ts';

function joined(portions: readonly Output[]): Uint8Array {
  const [first] = portions;
  if (first && portions.length === 1) return first.bytes;
  const whole = new Uint8Array(portions.reduce((sum, { bytes }) => sum + bytes.byteLength, 0));
  let at = 0;
  for (const { bytes } of portions) {
    whole.set(bytes, at);
    at += bytes.byteLength;
  }
  return whole;
}

/** An action on the screen. It calls `done` when the screen may draw the next output. */
type Step = (done: () => void) => void;

/**
 * Writes output to a screen in batches: collects frames while the screen is busy, and writes them
 * together. Calls `drawn` of a frame once the screen has processed its bytes.
 */
export class OutputQueue {
  readonly #write: (bytes: Uint8Array, done: () => void) => void;
  readonly #characters = new WholeCharacters();
  #waiting: (Output | Step)[] = [];
  #busy = false;

  constructor(write: (bytes: Uint8Array, done: () => void) => void) {
    this.#write = write;
  }

  /** Adds output. */
  push(output: Output): void {
    this.#waiting.push(output);
    if (!this.#busy) this.#next();
  }

  /** Runs a step between earlier and later output. */
  between(step: Step): void {
    this.#waiting.push(step);
    if (!this.#busy) this.#next();
  }

  #next(): void {
    const [first] = this.#waiting;
    if (!first) return;
    this.#busy = true;
    if (typeof first === 'function') {
      this.#waiting.shift();
      this.#characters.forget();
      first(() => this.#free());
      return;
    }
    const step = this.#waiting.findIndex((entry) => typeof entry === 'function');
    const portions = this.#waiting
      .splice(0, step < 0 ? this.#waiting.length : step)
      .filter((entry) => typeof entry !== 'function');
    this.#write(this.#characters.take(joined(portions)), () => this.#free(portions));
  }

  #free(portions: readonly Output[] = []): void {
    this.#busy = false;
    for (const { drawn } of portions) drawn();
    if (!this.#busy) this.#next();
  }
}
