import { setTimeout as sleep } from 'node:timers/promises';

const ENOUGH_MILLISECONDS = 120_000;

/** Waits until midnight is over where it is near: what a test does today must still be of today when the test asks for it. */
export async function awayFromMidnight(): Promise<void> {
  const midnight = new Date().setHours(24, 0, 0, 0);
  const left = midnight - Date.now();
  if (left < ENOUGH_MILLISECONDS) await sleep(left + 1);
}
