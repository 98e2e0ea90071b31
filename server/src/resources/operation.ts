import type { Caller } from '../platform/actor.ts';
import type { Tx } from '../platform/db/database.ts';

/** Something that an operation keeps until it ends, made when it is first asked for. */
export interface Kept<T> {
  readonly make: (operation: Operation) => T;
}

/** Declares what hooks keep on their operation, such as names that are read once: the constant is the key. */
export function kept<T>(make: (operation: Operation) => T): Kept<T> {
  return { make };
}

export interface OperationOptions {
  readonly caller: Caller;
  readonly tx: Tx;
  /** Everything is done, shown, and then taken back. */
  readonly dryRun: boolean;
  /** What the caller sent in addition to the bodies, such as the node that a form was opened from. */
  readonly query: URLSearchParams;
}

/** One write: who asked, its transaction, and what its hooks remember from one step to the next. */
export class Operation {
  readonly caller: Caller;
  readonly tx: Tx;
  readonly dryRun: boolean;
  readonly query: URLSearchParams;
  readonly #kept = new Map<unknown, unknown>();

  constructor({ caller, tx, dryRun, query }: OperationOptions) {
    this.caller = caller;
    this.tx = tx;
    this.dryRun = dryRun;
    this.query = query;
  }

  /** What is kept under a key; the same object for the whole operation. */
  get<T>(key: Kept<T>): T {
    if (!this.#kept.has(key)) this.#kept.set(key, key.make(this));
    return this.#kept.get(key) as T;
  }
}
