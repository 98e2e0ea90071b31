import { MAX_GATHERED } from '../../limits.ts';

/**
 * Merge waiting pieces at this count: a one-byte Buffer costs hundreds of bytes and pins its read
 * pool.
 */
const MERGE_COUNT = 256;

/**
 * Batches the pieces of one tick of the event loop, to share their fixed costs. A batch that
 * reaches `MAX_GATHERED` bytes is passed on at once.
 */
export class Gather {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** Number of merged pieces at the beginning of `pieces`. */
  private joined = 0;
  private scheduled: NodeJS.Immediate | undefined;
  private readonly pass: (all: Buffer) => void;

  constructor(pass: (all: Buffer) => void) {
    this.pass = pass;
  }

  get waiting(): number {
    return this.bytes;
  }

  push(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.pieces.length - this.joined === MERGE_COUNT) this.join();
    if (this.bytes >= MAX_GATHERED) this.flush();
    else this.scheduled ??= setImmediate(() => this.flush());
  }

  private join(): void {
    const pieces = this.pieces.splice(this.joined);
    this.pieces.push(Buffer.concat(pieces));
    this.joined++;
  }

  flush(): void {
    if (this.scheduled) clearImmediate(this.scheduled);
    this.scheduled = undefined;
    const [first] = this.pieces;
    if (!first) return;
    const all = this.pieces.length === 1 ? first : Buffer.concat(this.pieces, this.bytes);
    this.pieces = [];
    this.bytes = 0;
    this.joined = 0;
    this.pass(all);
  }
}
