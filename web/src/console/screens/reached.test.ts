import {
  ATTENTION_KINDS,
  allows,
  loginLog,
  Permission,
  permissionsOf,
  RESOURCES,
  Role,
} from '@sallyport/contract';
import { expect, it } from 'vitest';
import { pagesOf } from '../base/resources.ts';
import { isAllowed, screenOf } from '../base/screen.ts';
import { KINDS, listOf, pageOf } from '../features/home/attention-kinds.ts';
import { SCREENS } from './index.ts';

const ID = '0b1f3c1e-8d5e-4c9c-9a44-0f3a3f1c2d11';
const SETTINGS = { SECURITY_COMMAND_EXECUTION: true, XPACK_LICENSE_IS_VALID: true };

/** Roles in the console: the current role, and all bits of the account. */
const ROLES = {
  'super administrator': {
    current: Role.SuperAdmin,
    all: permissionsOf({ role: 'Admin', organizationRoles: [] }),
  },
  'organization administrator': {
    current: Role.OrgAdmin,
    all: permissionsOf({ role: 'User', organizationRoles: ['Admin'] }),
  },
  'super auditor': {
    current: Role.SuperAuditor & ~Permission.USE,
    all: permissionsOf({ role: 'Auditor', organizationRoles: [] }),
  },
  'organization auditor': {
    current: Role.OrgAuditor & ~Permission.USE,
    all: permissionsOf({ role: 'User', organizationRoles: ['Auditor'] }),
  },
  user: { current: Role.User, all: Role.User },
} as const;

/** Pages of administrators only; auditors read these items as plain text, or not at all. */
const ADMINISTRATORS: readonly string[] = [
  'recordings_disk',
  'database_stopped',
  'recordings_stopped',
  'failed_jobs',
  'schedules_stopped',
  'clocks_apart',
  'recordings_on_disks',
  'waiting_change_sets',
  'directory_held',
  'directory_unread',
];

/** Returns true if a role can open an address in an area. */
const opens = (current: number, address: string): boolean => {
  const screen = screenOf(SCREENS, address);
  return screen !== undefined && isAllowed(screen, current, SETTINGS);
};

it.each(Object.entries(ROLES))(
  'opens the ticket counter and every mailed link for a %s, in each area',
  (_name, { current, all }) => {
    const areas = new Set([current, ...((all & Permission.USE) !== 0 ? [Permission.USE] : [])]);
    const { list, detail } = pagesOf('ticket');
    for (const area of areas)
      for (const address of [list, detail(ID), '/users/profile', '/help/docs'])
        expect([area, address, opens(area, address)]).toEqual([area, address, true]);
  },
);

const AUDITING = Object.entries(ROLES).filter(([, { current }]) =>
  allows(current, Permission.AUDIT),
);

it.each(AUDITING)(
  'opens everything that needs the attention of a %s, except pages of administrators, which get no link',
  (_name, { current, all }) => {
    const received = ATTENTION_KINDS.filter((kind) => {
      const { resource } = KINDS[kind];
      const read = RESOURCES.find(({ name }) => name === (resource ?? loginLog.name))?.access.read;
      return allows(all, resource || kind === 'failed_sign_ins' ? (read ?? 0) : Permission.SUPER);
    });
    const closed = received.filter(
      (kind) =>
        !opens(current, listOf(KINDS[kind])) ||
        (KINDS[kind].resource && !opens(current, pageOf(KINDS[kind], ID))),
    );
    const isAdministrator = allows(current, Permission.ADMIN);
    expect(closed.filter((kind) => isAdministrator || !ADMINISTRATORS.includes(kind))).toEqual([]);
  },
);

it.each(AUDITING)(
  'opens the lists linked from the numbers on the start page of a %s',
  (_name, { current }) => {
    const lists = allows(current, Permission.ADMIN)
      ? ['/users/users', '/assets/assets', '/terminal/session']
      : ['/terminal/session', '/audits/login-log'];
    for (const list of lists) expect([list, opens(current, list)]).toEqual([list, true]);
  },
);
