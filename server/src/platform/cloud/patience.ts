import { setTimeout as sleep } from 'node:timers/promises';
import { CloudError } from './cloud.ts';

/** What another try may help against. */
const PASSING = new Set(['throttled', 'unavailable', 'no_answer']);
const TRIES = 5;
/** Who waited long for nothing does not wait as often. */
const SILENT_TRIES = 3;
const FIRST_MILLISECONDS = 500;
const LONGEST_MILLISECONDS = 8_000;

/** How long is waited before the next try, in milliseconds; half of it is random, so that many that were refused at once do not come back at once. */
export function pauseAfter(tries: number): number {
  const whole = Math.min(LONGEST_MILLISECONDS, FIRST_MILLISECONDS * 2 ** (tries - 1));
  return whole / 2 + (Math.random() * whole) / 2;
}

/** Does some work again while the provider asks for patience: a few times, with longer and longer pauses. @throws CloudError */
export async function patiently<T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  tries = TRIES,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CloudError) || !PASSING.has(error.problem) || signal.aborted)
        throw error;
      if (tried >= (error.problem === 'no_answer' ? Math.min(SILENT_TRIES, tries) : tries))
        throw error;
      await sleep(pauseAfter(tried), undefined, { signal }).catch(() => undefined);
    }
  }
}
