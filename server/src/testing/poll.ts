import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds. @throws Error when it does not within the time */
export async function until(
  condition: () => Promise<boolean> | boolean,
  what: string,
  milliseconds = 100_000,
): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`timed out waiting for: ${what}`);
    await sleep(20);
  }
}
