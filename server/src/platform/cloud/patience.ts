import { setTimeout as sleep } from 'node:timers/promises';
import { CloudError } from './cloud.ts';

/** Transient problems, which a retry may solve. */
const PASSING = new Set(['throttled', 'unavailable', 'no_answer']);
const TRIES = 5;
/** Fewer tries after timeouts, because each of them already took long. */
const SILENT_TRIES = 3;
const FIRST_MILLISECONDS = 500;
const LONGEST_MILLISECONDS = 8_000;

/**
 * Returns the pause before the next try in milliseconds. Half of it is random, to spread clients
 * that were throttled at the same time.
 */
export function pauseAfter(tries: number): number {
  const whole = Math.min(LONGEST_MILLISECONDS, FIRST_MILLISECONDS * 2 ** (tries - 1));
  return whole / 2 + (Math.random() * whole) / 2;
}

/**
 * Retries `work` after transient problems, with growing pauses.
 * @throws CloudError
 */
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
