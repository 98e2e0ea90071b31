import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, sqlState, type Tx } from './database.ts';

/** Codes of a serialization failure and a deadlock. */
const TRANSIENT: ReadonlySet<string> = new Set(['40001', '40P01']);
export const isTransient = (error: unknown): boolean => TRANSIENT.has(sqlState(error)?.code ?? '');

const ATTEMPTS = 4;
const MAX_PAUSE = 50;

/**
 * Retries `work` a few times after a serialization failure or a deadlock. `work` must open its own
 * transaction.
 */
export async function retryTransient<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      // The pause is random so that the same transactions do not collide again.
      await sleep(Math.random() * MAX_PAUSE * attempt);
    }
  }
}

/**
 * Runs `work` in a new transaction, with retries. It must not depend on state that an earlier
 * attempt left in memory.
 */
export const transact = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryTransient(() => db.transaction(work));
