import { Permission } from '@sallyport/contract';
import { expect, it } from 'vitest';
import { isAllowed, MENU_GROUPS } from '../base/screen.ts';
import { SCREENS } from '../screens/index.ts';
import { menuOf } from './menu.ts';

const SETTINGS = { SECURITY_COMMAND_EXECUTION: true, XPACK_LICENSE_IS_VALID: true };
const ROLES = {
  'super administrator': Permission.SUPER | Permission.ADMIN | Permission.AUDIT,
  'organization administrator': Permission.ADMIN | Permission.AUDIT,
  auditor: Permission.AUDIT,
  user: Permission.USE,
} as const;

const menuFor = (role: number) =>
  menuOf(SCREENS.filter((screen) => isAllowed(screen, role, SETTINGS)));

it.each(Object.entries(ROLES))('names each entry of a %s once in each language', (_name, role) => {
  const items = menuFor(role);
  expect(items.length).toBeGreaterThan(2);
  for (const language of ['en', 'zh'] as const) {
    const names = items.flatMap(({ title, children = [] }) => [
      title[language],
      ...children.map((screen) => screen.title[language]),
    ]);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  }
});

it.each(Object.entries(ROLES))('gives each top entry of a %s an icon', (_name, role) => {
  expect(menuFor(role).filter(({ icon }) => icon === undefined)).toEqual([]);
});

it('starts with the dashboard, followed by at most eight groups in their order', () => {
  const [first, ...groups] = menuFor(ROLES['super administrator']);
  expect(first?.screen?.name).toBe('dashboard');
  expect(groups.map(({ key }) => key)).toEqual([...MENU_GROUPS]);
  expect(groups.length).toBeLessThanOrEqual(8);
});

it('lists every page of the menu exactly once', () => {
  const role = ROLES['super administrator'];
  const listed = menuFor(role).flatMap(({ screen, children = [] }) =>
    screen ? [screen] : children,
  );
  const expected = SCREENS.filter((one) => one.menu && isAllowed(one, role, SETTINGS));
  expect(listed.map(({ name }) => name).toSorted()).toEqual(
    expected.map(({ name }) => name).toSorted(),
  );
});
