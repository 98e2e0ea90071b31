import { ACKNOWLEDGE_EVERY } from '@sallyport/contract';

/**
 * Counts drawn bytes and reports them in portions, so that the gateway knows how much more it may
 * send.
 */
export class Acknowledger {
  #drawn = 0;
  readonly #send: (bytes: number) => void;

  constructor(send: (bytes: number) => void) {
    this.#send = send;
  }

  /** Notes bytes that are on the screen now. */
  drawn(bytes: number): void {
    this.#drawn += bytes;
    if (this.#drawn < ACKNOWLEDGE_EVERY) return;
    this.#send(this.#drawn);
    this.#drawn = 0;
  }
}
