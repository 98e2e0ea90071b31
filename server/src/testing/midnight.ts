import { setTimeout as sleep } from 'node:timers/promises';
import { wallClock } from '@sallyport/contract';
import { DEFAULT_ZONE } from '../platform/actor.ts';

const ENOUGH_MILLISECONDS = 120_000;
const DAY_MILLISECONDS = 86_400_000;

/**
 * Waits for midnight to pass if it is near, in the zone of a fresh server: a test's rows of today
 * must still be of today when it reads them.
 */
export async function awayFromMidnight(): Promise<void> {
  const left = DAY_MILLISECONDS - (wallClock(Date.now(), DEFAULT_ZONE) % DAY_MILLISECONDS);
  if (left < ENOUGH_MILLISECONDS) await sleep(left + 1);
}
