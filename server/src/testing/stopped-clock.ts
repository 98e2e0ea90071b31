import { vi } from 'vitest';

/** Runs `act` with a stopped clock for rate limits, so a slow machine reaches them too. */
export async function withStoppedClock<T>(act: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    return await act();
  } finally {
    clock.mockRestore();
  }
}
