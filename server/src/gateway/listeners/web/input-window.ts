import { INPUT_WINDOW } from '@sallyport/contract';

/** So many taken bytes are worth a message. */
const TELL_EVERY = INPUT_WINDOW / 4;
/** The target is slower than its client; it says nothing when it has caught up. */
const LOOK_AGAIN_MS = 20;

/** Reports to a client how much of its input the target has taken. The client keeps the rest, so that a large paste waits in the browser and not here. */
export class InputWindow {
  private readonly waiting: () => number;
  private readonly tell: (bytes: number) => void;
  private arrivedBytes = 0;
  private told = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `waiting`: bytes that have arrived and were not taken yet. `tell`: passes on how many were taken since the beginning. */
  constructor(waiting: () => number, tell: (bytes: number) => void) {
    this.waiting = waiting;
    this.tell = tell;
  }

  /** Bytes of input that have arrived since the beginning. */
  get arrived(): number {
    return this.arrivedBytes;
  }

  /** A client begins, or comes back: it learns where it is, and keeps to the window from then on. */
  begin(): void {
    this.told = this.taken();
    this.tell(this.told);
    this.look();
  }

  /** So many bytes have come and were passed on. */
  add(bytes: number): void {
    this.arrivedBytes += bytes;
    if (!this.timer) this.look();
  }

  /** Says nothing any more. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private taken(): number {
    return Math.max(this.told, this.arrivedBytes - this.waiting());
  }

  private look(): void {
    this.stop();
    if (this.arrivedBytes - this.told < TELL_EVERY) return;
    const taken = this.taken();
    if (taken - this.told >= TELL_EVERY || taken === this.arrivedBytes) {
      this.told = taken;
      this.tell(taken);
    }
    if (taken < this.arrivedBytes)
      this.timer = setTimeout(() => this.look(), LOOK_AGAIN_MS).unref();
  }
}
