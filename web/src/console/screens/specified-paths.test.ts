import { expect, it } from 'vitest';
import { SPECIFIED_PATHS } from '../../testing/specified-paths.ts';
import { MOVED } from '../router.tsx';
import { LOGIN_PATH } from '../start/guard.ts';
import { SCREENS } from './index.ts';

/** Addresses that the router or the server handles without a screen. */
const WITHOUT_SCREEN = ['/404', LOGIN_PATH, '/core/auth/login/'];

it.each(
  SPECIFIED_PATHS.filter(({ path }) => !WITHOUT_SCREEN.includes(path)).map(({ path }) => path),
)('has a screen or a redirect for %s', (path) => {
  const pattern = path.replace(/\{\w+\}/g, '$id').replace(/(?<=.)\/$/, '');
  const known = [...SCREENS.map((screen) => screen.path), ...MOVED.map(({ from }) => from)];
  expect(known.map((one) => one.replace(/\$\w+/g, '$id'))).toContain(pattern);
});

it('redirects a literal update path to the rule of its query, or to the list without a query', () => {
  const moved = MOVED.find(({ from }) => from === '/perms/remote-app-permissions/update');
  expect(moved?.to({ id: 'a-1', tab: 'x' })).toEqual({
    path: '/perms/remote-app-permissions/a-1/update',
    search: { tab: 'x' },
  });
  expect(moved?.to({})).toEqual({ path: '/perms/remote-app-permissions', search: {} });
  expect(moved?.to({ id: '../../settings' })).toEqual({
    path: '/perms/remote-app-permissions',
    search: {},
  });
});
