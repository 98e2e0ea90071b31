import type { Output } from './output.ts';
import type { TerminalSocket } from './terminal-socket.ts';

/** Five of these bytes cancel a ZMODEM transfer; programs send eight. */
const CANCEL = new Uint8Array(8).fill(0x18);

/** The frames of `rz` or `sz` at the target, from its offer until the server ends the transfer. */
export class TransferLine {
  readonly #socket: Pick<TerminalSocket, 'send' | 'sendBytes'>;
  readonly #onAnswer: () => void;
  #received: Output[] = [];
  #wake: () => void = () => undefined;
  #isOver = false;
  #leave: () => void = () => undefined;
  /** Settles when the transfer has ended. */
  readonly ended = new Promise<void>((leave) => {
    this.#leave = leave;
  });
  #isAnswered = false;

  /** `onAnswer` runs before the first frame is sent. */
  constructor(socket: Pick<TerminalSocket, 'send' | 'sendBytes'>, onAnswer: () => void) {
    this.#socket = socket;
    this.#onAnswer = onAnswer;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** True if bytes of this page are frames and not keys. */
  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  push(output: Output): void {
    this.#received.push(output);
    this.#wake();
  }

  /** Returns the next frames; undefined once the transfer has ended. */
  async next(): Promise<Output | undefined> {
    while (this.#received.length === 0 && !this.#isOver)
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    return this.#received.shift();
  }

  send(frames: Uint8Array<ArrayBuffer>): void {
    if (this.#isOver) return;
    if (!this.#isAnswered) {
      this.#isAnswered = true;
      this.#onAnswer();
      this.#socket.send({ type: 'transfer', on: true });
    }
    this.#socket.sendBytes(frames);
  }

  cancel(): void {
    this.send(CANCEL);
  }

  /** The server has ended the transfer, or the connection is lost. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isAnswered) this.#socket.send({ type: 'transfer', on: false });
    this.#wake();
    this.#leave();
  }
}
