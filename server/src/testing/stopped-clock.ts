import { vi } from 'vitest';

/** Does something while time does not pass for the limits of requests, so that a slow machine reaches them as well. */
export async function withStoppedClock<T>(act: () => Promise<T>): Promise<T> {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  try {
    return await act();
  } finally {
    clock.mockRestore();
  }
}
