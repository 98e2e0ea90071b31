import type { Duplex } from 'node:stream';
import { DESKTOP_READ_MS } from '../../limits.ts';

/**
 * Reads the messages of a stream for a short time in each turn of the event loop: a few bytes of
 * bitmaps can take long to decode. The stream pauses until all are read.
 */
export class PacedReads {
  readonly #stream: Pick<Duplex, 'pause' | 'resume'>;
  readonly #read: (message: Buffer) => void;
  #waiting: Buffer[] = [];
  #isReading = false;
  #isPaused = false;

  constructor(stream: Pick<Duplex, 'pause' | 'resume'>, read: (message: Buffer) => void) {
    this.#stream = stream;
    this.#read = read;
  }

  push(messages: readonly Buffer[]): void {
    this.#waiting.push(...messages);
    if (!this.#isReading) this.#readOn();
  }

  pause(): void {
    this.#isPaused = true;
    this.#stream.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isReading) this.#stream.resume();
  }

  #readOn(): void {
    const until = performance.now() + DESKTOP_READ_MS;
    const messages = this.#waiting;
    let done = 0;
    for (const message of messages) {
      if (done > 0 && performance.now() >= until) break;
      done += 1;
      this.#read(message);
    }
    this.#waiting = messages.slice(done);
    const wasReading = this.#isReading;
    this.#isReading = this.#waiting.length > 0;
    if (this.#isReading) {
      this.#stream.pause();
      setImmediate(() => this.#readOn());
    } else if (wasReading && !this.#isPaused) this.#stream.resume();
  }
}
