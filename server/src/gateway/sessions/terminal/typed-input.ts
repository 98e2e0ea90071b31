import type { Typist } from './gated-terminal.ts';
import { Gather } from './gather.ts';
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

  flush(): void {
    this.keys.flush();
  }
}
