import { fileRefusal } from './file-context.ts';

/** Maximum bytes of a file whose writes were answered before the target did. */
const MAX_BYTES_AHEAD = 32 * 1024;

/** The writes of an upload that the target has not answered, and the first failure. */
export class PendingWrites {
  private readonly pending = new Set<Promise<void>>();
  private failure: unknown;
  private bytesAhead = 0;

  /** Follows a write. @throws Refusal when it fails */
  async add(write: Promise<void>): Promise<void> {
    const tracked = write.catch((error: unknown) => {
      this.failure ??= error;
      throw fileRefusal(error);
    });
    this.pending.add(tracked);
    try {
      await tracked;
    } finally {
      this.pending.delete(tracked);
    }
  }

  /** Returns true if a write of this length need not wait for the target. */
  hasRoom(length: number): boolean {
    return this.bytesAhead + length <= MAX_BYTES_AHEAD;
  }

  /** Follows a write without waiting for it. */
  addAhead(write: Promise<void>, length: number): void {
    this.bytesAhead += length;
    const answered = () => {
      this.bytesAhead -= length;
    };
    this.add(write).then(answered, answered);
  }

  /** @throws Refusal when a write has failed */
  check(): void {
    if (this.failure !== undefined) throw fileRefusal(this.failure);
  }

  /** Waits for the answers to all writes so far. */
  async settled(): Promise<void> {
    while (this.pending.size > 0) await Promise.allSettled(this.pending);
  }
}
