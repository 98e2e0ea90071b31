import type { Caller } from '../../platform/actor.ts';
import type { Tx } from '../../platform/db/database.ts';

/** A value kept on an operation, created at its first use. */
export interface Kept<T> {
  readonly make: (operation: Operation) => T;
}

/** Declares a value that hooks keep on their operation; the constant is its key. */
export function kept<T>(make: (operation: Operation) => T): Kept<T> {
  return { make };
}

export interface OperationOptions {
  readonly caller: Caller;
  readonly tx: Tx;
  /** Run everything, return the result, then roll back. */
  readonly dryRun: boolean;
  /** Query parameters next to the bodies, such as the node that a form was opened from. */
  readonly query: URLSearchParams;
}

/** One write: its caller, its transaction, and values that hooks keep between steps. */
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

  /** Returns the kept value; always the same one for an operation. */
  get<T>(key: Kept<T>): T {
    if (!this.#kept.has(key)) this.#kept.set(key, key.make(this));
    return this.#kept.get(key) as T;
  }
}
