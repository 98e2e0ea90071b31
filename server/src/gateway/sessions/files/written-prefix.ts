/** Maximum confirmed pieces that wait for an earlier one. Later pieces are forgotten. */
const MAX_AHEAD = 1024;

/** Bytes from the start of a file that a target has confirmed without a gap. */
export class WrittenPrefix {
  private readonly ahead = new Map<number, number>();
  private size: number;

  constructor(size: number) {
    this.size = size;
  }

  get end(): number {
    return this.size;
  }

  /** Adds a confirmed piece. */
  add(offset: number, length: number): void {
    const end = offset + length;
    if (offset > this.size) {
      if (this.ahead.size < MAX_AHEAD)
        this.ahead.set(offset, Math.max(end, this.ahead.get(offset) ?? 0));
      return;
    }
    this.size = Math.max(this.size, end);
    for (let next = this.ahead.get(this.size); next; next = this.ahead.get(this.size)) {
      this.ahead.delete(this.size);
      this.size = next;
    }
  }

  /** Forgets the bytes after a new end. */
  cut(size: number): void {
    this.ahead.clear();
    this.size = Math.min(this.size, size);
  }
}
