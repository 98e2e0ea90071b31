/**
 * Mean time of a synced write up to which it may block the main thread, in milliseconds. The mean
 * covers about the last 16 writes, so one that waited for a processor changes little.
 */
const QUICK_MS = 0.1;
/** The same for a write on another thread: it waits for that thread, too. */
const QUICK_ELSEWHERE_MS = 0.5;
const WEIGHT = 1 / 16;
/** Bytes of a write on the main thread. */
const MAX_BYTES = 64 * 1024;
/** Quick writes in a row before the first one on the main thread, and at most after slow ones. */
const FEW = 16;
const MANY = 4096;

/**
 * Decides which writes of a journal run on the main thread. A synced write to a disk with a
 * protected cache takes less time than waking another thread. After slow writes, the next ones use
 * the other thread: twice as many each time.
 */
export class DiskSpeed {
  private mean = 0;
  private quick = 0;
  private needed = FEW;

  /** Returns true if a write of this length should run on the main thread. */
  isQuick(bytes: number): boolean {
    return this.quick >= this.needed && bytes <= MAX_BYTES;
  }

  /** Counts a write by its time. */
  took(milliseconds: number, isMain: boolean): void {
    this.mean += (milliseconds - this.mean) * WEIGHT;
    this.quick++;
    if (this.mean > (isMain ? QUICK_MS : QUICK_ELSEWHERE_MS)) {
      if (isMain) this.needed = Math.min(this.needed * 2, MANY);
      this.quick = 0;
      this.mean = 0;
    } else if (this.quick === this.needed) this.mean = 0;
    else if (this.quick >= this.needed + MANY) this.needed = FEW;
  }
}
