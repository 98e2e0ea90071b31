import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a condition. @throws Error on a timeout */
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
