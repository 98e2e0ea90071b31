import { MAX_GATHERED } from '../../limits.ts';

/** So many pieces are put together while they wait: as an object of its own, a byte takes hundreds, and it keeps all that it was read with. */
const TOGETHER = 256;

/** Gathers what comes in one turn of the event loop, so that many small pieces cost as much as one. Much of it is passed on at once. */
export class Gather {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** How many of the pieces, at their beginning, were put together already. */
  private joined = 0;
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
    if (this.pieces.length - this.joined === TOGETHER) this.join();
    if (this.bytes >= MAX_GATHERED) this.flush();
    else this.scheduled ??= setImmediate(() => this.flush());
  }

  private join(): void {
    const pieces = this.pieces.splice(this.joined);
    this.pieces.push(Buffer.concat(pieces));
    this.joined++;
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
    this.joined = 0;
    this.pass(all);
  }
}
