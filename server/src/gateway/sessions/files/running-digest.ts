import { createHash } from 'node:crypto';
import { lengthOf, type Pieces } from '@sallyport/ssh';

/** Maximum number of pieces that wait for an earlier one. */
const MAX_AHEAD = 128;

/** SHA-256 of bytes that arrive in pieces, mostly in order. */
export class RunningDigest {
  private readonly hash = createHash('sha256');
  private readonly ahead = new Map<number, Pieces>();
  private readonly start: number;
  private next: number;
  private isBroken = false;

  /** `start` is the offset of the first byte. */
  constructor(start = 0) {
    this.start = start;
    this.next = start;
  }

  /** Adds bytes at an offset. The caller must not change them afterwards. */
  add(offset: number, ...pieces: Pieces): void {
    if (this.isBroken || lengthOf(pieces) === 0) return;
    if (offset === this.next) {
      this.take(pieces);
      for (let more = this.ahead.get(this.next); more; more = this.ahead.get(this.next)) {
        this.ahead.delete(this.next);
        this.take(more);
      }
    } else if (offset > this.next && this.ahead.size < MAX_AHEAD && !this.ahead.has(offset))
      this.ahead.set(offset, pieces);
    else this.spoil();
  }

  /** Drops the digest: the bytes did not arrive contiguously. */
  spoil(): void {
    this.isBroken = true;
    this.ahead.clear();
  }

  /** Offset after the last byte, if all bytes arrived without a gap. */
  get end(): number | undefined {
    return this.isBroken || this.ahead.size > 0 ? undefined : this.next;
  }

  /** Returns the digest in lowercase hex, if available. Call it once, at the end. */
  finish(): string | undefined {
    return this.end === undefined ? undefined : this.hash.digest('hex');
  }

  get length(): number {
    return this.next - this.start;
  }

  private take(pieces: Pieces): void {
    for (const piece of pieces) {
      this.hash.update(piece);
      this.next += piece.length;
    }
  }
}
