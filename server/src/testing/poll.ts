import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses between two checks, in milliseconds: a tenth of the time waited so far. */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 200;

/**
 * Waits for a condition. Each check may ask a server and its database, so a long wait checks less
 * often.
 * @throws Error on a timeout
 */
export async function until(
  condition: () => Promise<boolean> | boolean,
  what: string,
  milliseconds = 100_000,
): Promise<void> {
  const began = performance.now();
  while (!(await condition())) {
    const waited = performance.now() - began;
    if (waited > milliseconds) throw new Error(`timed out waiting for: ${what}`);
    await sleep(Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, waited / 10)));
  }
}
