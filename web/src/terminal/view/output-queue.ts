import type { Output } from '../connection/terminal-connection.ts';

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

/**
 * Hands output to a screen in one piece per round: while the screen is busy with a piece, what arrives is collected.
 * Many small frames so cost one write, and `drawn` is called only when the screen has really taken the bytes.
 */
export class OutputQueue {
  readonly #write: (bytes: Uint8Array, done: () => void) => void;
  #waiting: Output[] = [];
  #busy = false;

  constructor(write: (bytes: Uint8Array, done: () => void) => void) {
    this.#write = write;
  }

  /** Takes a portion of output. */
  push(output: Output): void {
    this.#waiting.push(output);
    if (!this.#busy) this.#next();
  }

  #next(): void {
    const portions = this.#waiting;
    if (portions.length === 0) return;
    this.#waiting = [];
    this.#busy = true;
    this.#write(joined(portions), () => {
      this.#busy = false;
      for (const { drawn } of portions) drawn();
      if (!this.#busy) this.#next();
    });
  }
}
