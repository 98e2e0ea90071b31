import { expect, it } from 'vitest';
import { isFound, screenOf } from '../base/screen.ts';
import { SCREENS } from './index.ts';

const offeredPaths = (typing: boolean) =>
  SCREENS.filter((screen) => isFound(screen, typing)).map(({ path }) => path);

it('offers screens of the menu, and other screens without an object once the user types', () => {
  expect(offeredPaths(false)).toContain('/assets/assets');
  expect(offeredPaths(false)).not.toContain('/assets/assets/create');
  for (const path of [
    '/assets/assets',
    '/assets/assets/create',
    '/users/profile',
    '/help/docs',
    '/help/support',
  ])
    expect(offeredPaths(true)).toContain(path);
  expect(
    offeredPaths(true).filter(
      (path) => path.includes('$') || path.startsWith('/users/first-login'),
    ),
  ).toEqual([]);
});

it('finds the screen of an address, with precedence for paths without parameters', () => {
  expect(screenOf(SCREENS, '/assets/assets/create')?.name).toBe('AssetCreate');
  expect(screenOf(SCREENS, '/assets/assets/0b1f3c1e-8d5e-4c9c-9a44-0f3a3f1c2d11')?.name).toBe(
    'AssetDetail',
  );
  expect(screenOf(SCREENS, '/no/such/page')).toBeUndefined();
});
