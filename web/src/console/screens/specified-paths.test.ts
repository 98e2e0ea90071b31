import { expect, it } from 'vitest';
import { SPECIFIED_PATHS } from '../../testing/specified-paths.ts';
import { LOGIN_PATH } from '../start/guard.ts';
import { SCREENS } from './index.ts';
import { MOVED } from './moved.ts';

/** Addresses that the router or the server answers without a screen. */
const WITHOUT_SCREEN = ['/404', LOGIN_PATH, '/core/auth/login/'];

it.each(
  SPECIFIED_PATHS.filter(({ path }) => !WITHOUT_SCREEN.includes(path)).map(({ path }) => path),
)('%s has a screen, or leads to one', (path) => {
  const pattern = path.replace(/\{\w+\}/g, '$id').replace(/(?<=.)\/$/, '');
  const known = [...SCREENS.map((screen) => screen.path), ...MOVED.map(({ from }) => from)];
  expect(known.map((one) => one.replace(/\$\w+/g, '$id'))).toContain(pattern);
});

it('leads from a literal update path to the rule that its query names, and to the list without one', () => {
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
