/** A synced write of at most this time may block the main thread, in milliseconds. */
const QUICK_MS = 0.1;
/** The same for a write on another thread: it waits for that thread, too. */
const QUICK_ELSEWHERE_MS = 0.5;
/** Bytes of a write on the main thread. */
const MAX_BYTES = 64 * 1024;
/** Quick writes in a row before the first one on the main thread, and at most after slow ones. */
const FEW = 16;
const MANY = 4096;

/**
 * Decides which writes of a journal run on the main thread. A synced write to a disk with a
 * protected cache takes less time than waking another thread. After a slow write, the next ones use
 * the other thread: twice as many each time.
 */
export class DiskSpeed {
  private quick = 0;
  private needed = FEW;

  /** Returns true if a write of this length should run on the main thread. */
  isQuick(bytes: number): boolean {
    return this.quick >= this.needed && bytes <= MAX_BYTES;
  }

  /** Counts a write by its time. */
  took(milliseconds: number, isMain: boolean): void {
    if (milliseconds <= (isMain ? QUICK_MS : QUICK_ELSEWHERE_MS)) {
      this.quick++;
      if (isMain && this.quick - this.needed >= MANY) this.needed = FEW;
      return;
    }
    if (isMain) this.needed = Math.min(this.needed * 2, MANY);
    this.quick = 0;
  }
}
