import {
  DUTIES,
  DUTY,
  type Duty,
  permissionsOf,
  RESOURCES,
  Role,
  resourceNamed,
} from '@sallyport/contract';
import { expect, it } from 'vitest';
import type { ConsoleSession } from '../base/session.tsx';
import { menuOf } from '../layout/menu.ts';
import { SCREENS } from '../screens/index.ts';
import { areaOf, sessionOfDuty } from './duty-session.ts';

/** The menu of a duty as paths of its pages. */
function menuFor(duty: Duty): readonly string[] {
  const { role } = DUTY[duty];
  const permissions = permissionsOf({ role, organizationRoles: [] });
  const session = { role: { roles: [], permissions, current: permissions }, screens: SCREENS };
  const { screens } = sessionOfDuty(duty, session as unknown as ConsoleSession);
  return menuOf(screens).flatMap(({ screen, children = [] }) =>
    [...(screen ? [screen] : []), ...children].map(({ path }) => path),
  );
}

it('gives the screens of a resource the area of its declaration', () => {
  for (const screen of SCREENS) {
    const { resource } = screen;
    if (!resource || !RESOURCES.some(({ name }) => name === resource)) continue;
    expect([resource, areaOf(screen)]).toEqual([resource, resourceNamed(resource).area]);
  }
});

it('shows each duty the pages of its areas only', () => {
  const menus = Object.fromEntries(DUTIES.map((duty) => [duty, menuFor(duty)]));
  expect(menus.system).toEqual(
    expect.arrayContaining(['/assets/assets', '/users/users', '/settings', '/backups']),
  );
  expect(menus.security).toEqual(
    expect.arrayContaining(['/perms/asset-permissions', '/assets/cmd-filters', '/settings']),
  );
  expect(menus.audit).toEqual(
    expect.arrayContaining(['/terminal/session', '/audits/operate-log', '/compliance']),
  );
  const isLog = (path: string) => path.startsWith('/audits/') && path.endsWith('-log');
  expect([...(menus.system ?? []), ...(menus.security ?? [])].filter(isLog)).toEqual([]);
  expect(menus.system?.filter((path) => path.startsWith('/perms/'))).toEqual([
    '/perms/change-sets',
  ]);
  expect(menus.audit?.filter((path) => /^\/(assets|perms|users|settings)/.test(path))).toEqual([]);
});

it('takes the side of users from a duty', () => {
  const session = {
    role: { roles: [Role.SuperAdmin, Role.User], permissions: 255, current: Role.SuperAdmin },
    screens: SCREENS,
  } as unknown as ConsoleSession;
  expect(sessionOfDuty('system', session).role.roles).toEqual([Role.SuperAdmin]);
});
