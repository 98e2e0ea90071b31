import { setTimeout as sleep } from 'node:timers/promises';

const ENOUGH_MILLISECONDS = 120_000;

/**
 * Waits for midnight to pass if it is near: a test's rows of today must still be of today when it
 * reads them.
 */
export async function awayFromMidnight(): Promise<void> {
  const midnight = new Date().setHours(24, 0, 0, 0);
  const left = midnight - Date.now();
  if (left < ENOUGH_MILLISECONDS) await sleep(left + 1);
}
