import { afterEach, beforeEach, expect, it, vi } from 'vitest';

beforeEach(() => vi.resetModules());
// Files share modules, so the next one must not get these.
afterEach(() => {
  history.replaceState(null, '', '/');
  vi.resetModules();
});

it.each([
  ['/ui/users/users', '/ui'],
  ['/luna/', '/ui'],
  ['/core/auth/login/?next=/core/console/', '/ui'],
  ['/core/consoles/', '/ui'],
  ['/core/console/', '/core/console'],
  ['/core/console', '/core/console'],
  ['/core/console/users/profile?activeTab=MFA', '/core/console'],
])('finds the pages of the console from %s below %s', async (address, base) => {
  history.replaceState(null, '', address);
  expect((await import('./base-path.ts')).BASE_PATH).toBe(base);
});
