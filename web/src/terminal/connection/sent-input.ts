/** Bytes of sent input that are kept: more than any usual paste. */
const KEEP = 1024 * 1024;

/**
 * Remembers the last input that was sent, so that what was lost on the way can be sent again.
 * Positions count bytes since the session began.
 */
export class SentInput {
  #frames: Uint8Array<ArrayBuffer>[] = [];
  #kept = 0;
  #total = 0;

  /** Notes input that was sent. */
  add(bytes: Uint8Array<ArrayBuffer>): void {
    this.#frames.push(bytes);
    this.#kept += bytes.byteLength;
    this.#total += bytes.byteLength;
    while (this.#frames.length > 1 && this.#kept > KEEP)
      this.#kept -= this.#frames.shift()?.byteLength ?? 0;
  }

  /**
   * Returns the input sent after a position. Input of another page, and input that is no longer
   * kept, is not sent again.
   */
  behind(position: number): readonly Uint8Array<ArrayBuffer>[] {
    let at = this.#total - this.#kept;
    const lost: Uint8Array<ArrayBuffer>[] = [];
    if (position < at) return lost;
    for (const frame of this.#frames) {
      const from = Math.max(0, position - at);
      at += frame.byteLength;
      if (at > position) lost.push(frame.subarray(from));
    }
    return lost;
  }

  /** Begins to count at a position: the server has had so much from a page before this one. */
  startAt(position: number): void {
    this.#frames = [];
    this.#kept = 0;
    this.#total = position;
  }
}
