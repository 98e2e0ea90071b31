import { INPUT_WINDOW } from '@sallyport/contract';

/**
 * A frame of input is at most this long, so that a huge paste is not refused as an oversized frame.
 */
const INPUT_FRAME = 32 * 1024;
const INTERRUPT = 0x03;

/**
 * Sends input as fast as the target takes it. Excess input waits here in order. Positions count
 * bytes since the session began.
 */
export class PacedInput {
  readonly #send: (frame: Uint8Array<ArrayBuffer>) => void;
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #sent = 0;
  /** Unknown until the server has said it: then nothing waits. */
  #taken: number | undefined;

  constructor(send: (frame: Uint8Array<ArrayBuffer>) => void) {
    this.#send = send;
  }

  /**
   * Takes input in frames. Ctrl-C overtakes and drops what waits, as a terminal drops input that
   * its program has not read.
   */
  push(bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.byteLength === 1 && bytes[0] === INTERRUPT && this.#waiting.length > 0) {
      this.#waiting = [];
      this.#pass(bytes);
      return;
    }
    for (let at = 0; at < bytes.byteLength; at += INPUT_FRAME)
      this.#waiting.push(bytes.subarray(at, at + INPUT_FRAME));
    this.#flush();
  }

  /** Reports the bytes that the target has taken. */
  taken(bytes: number): void {
    this.#taken = bytes;
    this.#flush();
  }

  /** Drops what waits: a program at the target reads no keys now. */
  drop(): void {
    this.#waiting = [];
  }

  /** Another session begins: nothing waits. */
  clear(): void {
    this.#waiting = [];
    this.countFrom(0);
  }

  /** The server has had so much; what waits is sent when it says how much of that was taken. */
  countFrom(position: number): void {
    this.#sent = position;
    this.#taken = undefined;
  }

  #flush(): void {
    while (
      this.#waiting[0] &&
      (this.#taken === undefined || this.#sent - this.#taken < INPUT_WINDOW)
    ) {
      const [frame] = this.#waiting.splice(0, 1);
      if (frame) this.#pass(frame);
    }
  }

  #pass(frame: Uint8Array<ArrayBuffer>): void {
    this.#sent += frame.byteLength;
    this.#send(frame);
  }
}
