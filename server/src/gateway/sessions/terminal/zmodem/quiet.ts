/** Calls back once nothing has arrived for a while, but not before a minimum time. */
export class Quiet {
  private timer: NodeJS.Timeout | undefined;
  private earliest = 0;
  private readonly quietMs: number;
  private readonly onQuiet: () => void;

  constructor(quietMs: number, onQuiet: () => void) {
    this.quietMs = quietMs;
    this.onQuiet = onQuiet;
  }

  get isWaiting(): boolean {
    return this.timer !== undefined;
  }

  /** True after the minimum time. */
  get isPastMinimum(): boolean {
    return performance.now() >= this.earliest;
  }

  begin(minimumMs = 0): void {
    this.earliest = performance.now() + minimumMs;
    this.heard();
  }

  /** Waits again, because output has arrived. */
  heard(): void {
    clearTimeout(this.timer);
    const wait = Math.max(this.quietMs, this.earliest - performance.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.onQuiet();
    }, wait);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
