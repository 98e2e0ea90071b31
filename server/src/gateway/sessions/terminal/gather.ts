import { MAX_GATHERED } from '../../limits.ts';

/** Gathers what comes in one turn of the event loop, so that many small pieces cost as much as one. Much of it is passed on at once. */
export class Gather {
  private pieces: Buffer[] = [];
  private bytes = 0;
  private scheduled: NodeJS.Immediate | undefined;
  private readonly pass: (all: Buffer) => void;

  constructor(pass: (all: Buffer) => void) {
    this.pass = pass;
  }

  /** Bytes that wait for the end of the turn. */
  get waiting(): number {
    return this.bytes;
  }

  push(piece: Buffer): void {
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.bytes >= MAX_GATHERED) this.flush();
    else this.scheduled ??= setImmediate(() => this.flush());
  }

  /** Passes on at once what waits. */
  flush(): void {
    if (this.scheduled) clearImmediate(this.scheduled);
    this.scheduled = undefined;
    const [first] = this.pieces;
    if (!first) return;
    const all = this.pieces.length === 1 ? first : Buffer.concat(this.pieces, this.bytes);
    this.pieces = [];
    this.bytes = 0;
    this.pass(all);
  }
}
