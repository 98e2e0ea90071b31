import { INPUT_WINDOW } from '@sallyport/contract';

/** Report after this many consumed bytes. */
const REPORT_BYTES = INPUT_WINDOW / 4;
/** Polling interval: a slow target does not report that it has caught up. */
const POLL_MS = 20;

/**
 * Tells a client how much of its input the target has consumed. A large paste therefore waits in
 * the browser and not here.
 */
export class InputWindow {
  private readonly waiting: () => number;
  private readonly report: (bytes: number) => void;
  private arrivedBytes = 0;
  private reported = 0;
  private timer: NodeJS.Timeout | undefined;

  /** `waiting` returns the unconsumed bytes. `report` sends the total number of consumed bytes. */
  constructor(waiting: () => number, report: (bytes: number) => void) {
    this.waiting = waiting;
    this.report = report;
  }

  /** Total bytes of input received. */
  get arrived(): number {
    return this.arrivedBytes;
  }

  /** Reports the position to a client that starts or resumes. */
  begin(): void {
    this.reported = this.taken();
    this.report(this.reported);
    this.poll();
  }

  /** Counts received bytes. */
  add(bytes: number): void {
    this.arrivedBytes += bytes;
    if (!this.timer) this.poll();
  }

  /** Stops reporting. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private taken(): number {
    return Math.max(this.reported, this.arrivedBytes - this.waiting());
  }

  private poll(): void {
    this.stop();
    if (this.arrivedBytes - this.reported < REPORT_BYTES) return;
    const taken = this.taken();
    if (taken - this.reported >= REPORT_BYTES || taken === this.arrivedBytes) {
      this.reported = taken;
      this.report(taken);
    }
    if (taken < this.arrivedBytes) this.timer = setTimeout(() => this.poll(), POLL_MS).unref();
  }
}
