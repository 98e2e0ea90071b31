import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, sqlState, type Tx } from './database.ts';

/** How PostgreSQL ends one of two transactions that wait for each other, or that cannot both be true. */
const TRANSIENT: ReadonlySet<string> = new Set(['40001', '40P01']);
/** Whether a transaction had to give way to another one. */
export const isTransient = (error: unknown): boolean => TRANSIENT.has(sqlState(error)?.code ?? '');

const ATTEMPTS = 4;
const MAX_PAUSE = 50;

/** Does the work of a transaction again, a few times, when the database chose it to give way to another one. The work must begin its own transaction. */
export async function retryTransient<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isTransient(error)) throw error;
      // A random pause, so that the same two do not meet again.
      await sleep(Math.random() * MAX_PAUSE * attempt);
    }
  }
}

/** Runs some work in a transaction of its own, and again where it had to give way. It must not depend on what an earlier attempt left in memory. */
export const transact = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  retryTransient(() => db.transaction().execute(work));
