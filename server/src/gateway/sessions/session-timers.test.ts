import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SessionTimers } from './session-timers.ts';

const LIMITS = { idleMinutes: 30, maximumHours: 24 };
const IN_TEN_YEARS = new Date(Date.now() + 10 * 365 * 86_400_000);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const timers = () =>
  new SessionTimers(LIMITS, IN_TEN_YEARS, {
    end: () => undefined,
    permissionEnded: () => undefined,
  });

it('runs one timer per limit while the session is open', () => {
  timers();
  expect(vi.getTimerCount()).toBe(3);
});

it('starts no timer after the end, even when a check answers later', () => {
  const stopped = timers();
  stopped.stop();
  stopped.validUntil(IN_TEN_YEARS);
  stopped.limits(LIMITS);
  expect(vi.getTimerCount()).toBe(0);
});
