import { createHash } from 'node:crypto';
import { lengthOf, type Pieces } from '../../../platform/ssh/sftp/pieces.ts';

/** Pieces that wait for one before them. */
const MAX_AHEAD = 128;

/** The SHA-256 of bytes that pass in pieces, mostly in their order. */
export class RunningDigest {
  private readonly hash = createHash('sha256');
  private readonly ahead = new Map<number, Pieces>();
  private readonly start: number;
  private next: number;
  private isBroken = false;

  /** `start`: the offset of the first byte. */
  constructor(start = 0) {
    this.start = start;
    this.next = start;
  }

  /** Takes what was read or written at an offset, in its pieces, whose bytes must not change any more. */
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

  /** The bytes did not pass in one piece: there is no digest of them. */
  spoil(): void {
    this.isBroken = true;
    this.ahead.clear();
  }

  /** The offset behind the last byte, where all bytes passed without a gap. */
  get end(): number | undefined {
    return this.isBroken || this.ahead.size > 0 ? undefined : this.next;
  }

  /** The digest, in lowercase hex, where there is one; to be called once, at the end. */
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
