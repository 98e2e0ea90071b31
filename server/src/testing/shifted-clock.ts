import { vi } from 'vitest';

/**
 * Runs `act` while the clock of this machine is ahead by some hours, or behind. The database keeps
 * its clock.
 */
export async function withShiftedClock<T>(hours: number, act: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({
    toFake: ['Date'],
    now: Date.now() + hours * 3_600_000,
    shouldAdvanceTime: true,
  });
  try {
    return await act();
  } finally {
    vi.useRealTimers();
  }
}
