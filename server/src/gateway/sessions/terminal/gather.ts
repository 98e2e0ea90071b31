import { MAX_GATHERED } from '../../limits.ts';
import type { Typist } from './gated-terminal.ts';
import type { Guest } from './guests.ts';

/** Batches the keys of one tick, separately per typist. */
export class TypedInput {
  /** The typist of the batch; undefined for the owner. */
  private typist: Guest | undefined;
  private readonly keys: Gather;

  constructor(pass: (keys: Buffer, by: Typist) => void) {
    this.keys = new Gather((keys) => pass(keys, this.typist?.person.display));
  }

  get waiting(): number {
    return this.keys.waiting;
  }

  /** Sets the typist of the next keys; passes the keys of another typist first. */
  setTypist(guest: Guest | undefined): void {
    if (guest !== this.typist) this.keys.flush();
    this.typist = guest;
  }

  push(keys: Buffer): void {
    this.keys.push(keys);
  }

  /** Adds keys of the owner. */
  pushOwn(keys: Buffer): void {
    this.setTypist(undefined);
    this.push(keys);
  }

  flush(): void {
    this.keys.flush();
  }
}

/**
 * Merge waiting pieces at this count: a one-byte Buffer costs hundreds of bytes and pins its read
 * pool.
 */
const MERGE_COUNT = 256;

/** A first piece up to this size does not wait: a key or its echo. */
export const MAX_KEY = 512;

/**
 * Batches the pieces of one turn of the event loop, to share their fixed costs. A small piece that
 * comes first is passed on at once, and so is a batch that reaches `MAX_GATHERED` bytes.
 */
export class Gather {
  private pieces: Buffer[] = [];
  private bytes = 0;
  /** Number of merged pieces at the beginning of `pieces`. */
  private joined = 0;
  /** True in a turn that has passed a piece or keeps some. */
  private isInTurn = false;
  private readonly pass: (all: Buffer) => void;

  constructor(pass: (all: Buffer) => void) {
    this.pass = pass;
  }

  get waiting(): number {
    return this.bytes;
  }

  push(piece: Buffer): void {
    const isFirst = !this.isInTurn;
    this.endTurn();
    if (isFirst && piece.length <= MAX_KEY) {
      this.pass(piece);
      return;
    }
    this.pieces.push(piece);
    this.bytes += piece.length;
    if (this.pieces.length - this.joined === MERGE_COUNT) this.join();
    if (this.bytes >= MAX_GATHERED) this.flush();
  }

  /** Passes on the pieces at the end of this turn. */
  private endTurn(): void {
    if (this.isInTurn) return;
    this.isInTurn = true;
    setImmediate(() => {
      this.isInTurn = false;
      this.flush();
    });
  }

  private join(): void {
    const pieces = this.pieces.splice(this.joined);
    this.pieces.push(Buffer.concat(pieces));
    this.joined++;
  }

  flush(): void {
    const [first] = this.pieces;
    if (!first) return;
    const all = this.pieces.length === 1 ? first : Buffer.concat(this.pieces, this.bytes);
    this.pieces = [];
    this.bytes = 0;
    this.joined = 0;
    this.pass(all);
  }
}
