import { afterEach, beforeEach, expect, it, vi } from 'vitest';

beforeEach(() => vi.resetModules());
afterEach(() => history.replaceState(null, '', '/'));

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
