/** Lets bytes through at a rate, with an allowance to begin with; tells how long to wait when more came. */
export class RateLimit {
  private left: number;
  private at = performance.now();
  private readonly burst: number;
  private readonly bytesPerSecond: number;

  constructor(bytesPerSecond: number, burst: number) {
    this.bytesPerSecond = bytesPerSecond;
    this.burst = burst;
    this.left = burst;
  }

  /** Takes bytes; returns the milliseconds until as many are due again, 0 when there is no need to wait. */
  take(bytes: number): number {
    const now = performance.now();
    this.left =
      Math.min(this.burst, this.left + ((now - this.at) / 1000) * this.bytesPerSecond) - bytes;
    this.at = now;
    return this.left >= 0 ? 0 : (-this.left / this.bytesPerSecond) * 1000;
  }
}
