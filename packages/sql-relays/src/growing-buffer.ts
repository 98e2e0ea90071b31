const EMPTY = Buffer.alloc(0);

/**
 * Collects the pieces of a message. A piece may be a single byte, so each is copied: a view would
 * hold its whole chunk. The capacity doubles, so the copying is linear.
 */
export class GrowingBuffer {
  private store: Buffer = EMPTY;
  private used = 0;

  get length(): number {
    return this.used;
  }

  /** The collected bytes, until the next change. */
  get bytes(): Buffer {
    return this.store.subarray(0, this.used);
  }

  push(piece: Buffer): void {
    const needed = this.used + piece.length;
    if (needed > this.store.length) {
      const grown = Buffer.allocUnsafe(Math.max(needed, 2 * this.store.length));
      this.store.copy(grown, 0, 0, this.used);
      this.store = grown;
    }
    piece.copy(this.store, this.used);
    this.used = needed;
  }

  /** Returns the collected bytes and starts again. */
  take(): Buffer {
    const { bytes } = this;
    this.store = EMPTY;
    this.used = 0;
    return bytes;
  }
}
