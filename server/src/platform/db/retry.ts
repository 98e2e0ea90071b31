import { setTimeout as sleep } from 'node:timers/promises';
import { sqlState } from './database.ts';

/** How PostgreSQL ends one of two transactions that wait for each other, or that cannot both be true. */
const TRANSIENT: ReadonlySet<string> = new Set(['40001', '40P01']);
const ATTEMPTS = 4;
const MAX_PAUSE = 50;

/** Does the work of a transaction again, a few times, when the database chose it to give way to another one. The work must begin its own transaction. */
export async function retryTransient<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !TRANSIENT.has(sqlState(error)?.code ?? '')) throw error;
      // A random pause, so that the same two do not meet again.
      await sleep(Math.random() * MAX_PAUSE * attempt);
    }
  }
}
