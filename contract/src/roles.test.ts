import { describe, expect, it } from 'vitest';
import {
  type AccountRole,
  allows,
  currentRole,
  isAdminRole,
  type OrganizationRole,
  Permission,
  permissionsOf,
  Role,
  rolesOf,
} from './roles.ts';

const { USE, AUDIT, ADMIN, SUPER } = Permission;
const ACCOUNT_ROLES: AccountRole[] = ['Admin', 'User', 'Auditor'];
const SUBSETS: OrganizationRole[][] = [
  [],
  ['User'],
  ['Auditor'],
  ['Admin'],
  ['Admin', 'User'],
  ['Auditor', 'User'],
  ['Admin', 'Auditor'],
  ['Admin', 'Auditor', 'User'],
];

describe('bits and roles', () => {
  it('keeps the numbers that existing consoles store in cookies', () => {
    expect([USE, AUDIT, ADMIN, SUPER]).toEqual([1, 2, 16, 128]);
    expect(Role).toEqual({
      SuperAdmin: 146,
      SuperAuditor: 131,
      OrgAdmin: 18,
      OrgAuditor: 3,
      User: 1,
      Anonymous: 0,
    });
  });

  it.each([
    [Role.SuperAdmin, true],
    [Role.OrgAdmin, true],
    [AUDIT, true],
    [SUPER, true],
    [Role.SuperAuditor, false],
    [Role.OrgAuditor, false],
    [Role.User, false],
    [Role.Anonymous, false],
    [SUPER | ADMIN | AUDIT | USE, false],
    [4, false],
  ])('returns for the admin area of role %i: %s', (role, expected) => {
    expect(isAdminRole(role)).toBe(expected);
  });

  it.each([
    [147, SUPER, true],
    [147, SUPER | ADMIN | AUDIT | USE, true],
    [19, SUPER, false],
    [19, ADMIN | AUDIT, true],
    [19, ADMIN | SUPER, false],
    [3, ADMIN, false],
    [3, AUDIT, true],
    [1, USE, true],
    [1, AUDIT, false],
    [0, USE, false],
    // An empty requirement is an error of the caller and allows nothing.
    [147, 0, false],
    [0, 0, false],
  ])('returns for bits %i with the requirement %i: %s', (bits, needed, answer) => {
    expect(allows(bits, needed)).toBe(answer);
  });
});

describe('the roles of a user', () => {
  // Account role, roles in the organization, roles to choose from, all bits.
  const TABLE: [AccountRole, OrganizationRole[], number[], number][] = [
    ...SUBSETS.map((roles): [AccountRole, OrganizationRole[], number[], number] => [
      'Admin',
      roles,
      [146, 1],
      147,
    ]),
    ['User', [], [1], 1],
    ['User', ['User'], [1], 1],
    ['User', ['Auditor'], [3], 3],
    ['User', ['Admin'], [18, 1], 19],
    ['User', ['Admin', 'User'], [18, 1], 19],
    ['User', ['Auditor', 'User'], [3], 3],
    ['User', ['Admin', 'Auditor'], [18, 1], 19],
    ['User', ['Admin', 'Auditor', 'User'], [18, 1], 19],
    ['Auditor', [], [131], 131],
    ['Auditor', ['User'], [131], 131],
    ['Auditor', ['Auditor'], [131], 131],
    // An administrator of an organization administers it with any account role.
    ['Auditor', ['Admin'], [18, 1], 19],
    ['Auditor', ['Admin', 'User'], [18, 1], 19],
    ['Auditor', ['Auditor', 'User'], [131], 131],
    ['Auditor', ['Admin', 'Auditor'], [18, 1], 19],
    ['Auditor', ['Admin', 'Auditor', 'User'], [18, 1], 19],
  ];

  it('covers every combination of roles', () => {
    expect(new Set(TABLE.map(([role, roles]) => `${role} ${roles}`)).size).toBe(
      ACCOUNT_ROLES.length * SUBSETS.length,
    );
  });

  it.each(TABLE)('returns %s with %j: %j, bits %i', (role, organizationRoles, roles, bits) => {
    expect([
      rolesOf({ role, organizationRoles }),
      permissionsOf({ role, organizationRoles }),
    ]).toEqual([roles, bits]);
  });

  it('combines SUPER and ADMIN only for administrators of the installation, and SUPER alone only for its auditors', () => {
    for (const role of ACCOUNT_ROLES)
      for (const organizationRoles of SUBSETS) {
        const bits = permissionsOf({ role, organizationRoles });
        expect(allows(bits, SUPER | ADMIN)).toBe(role === 'Admin');
        expect(allows(bits, SUPER)).toBe(
          role === 'Admin' || (role === 'Auditor' && !organizationRoles.includes('Admin')),
        );
      }
  });
});

describe('the role to begin in', () => {
  it.each([
    // permissions, remembered role, has organizations to administer or audit, expected role
    [147, 0, true, 146],
    [147, 0, false, 1],
    [147, 146, true, 146],
    [147, 1, true, 1],
    [147, 18, true, 18],
    [147, 146, false, 146],
    [19, 0, true, 18],
    [19, 0, false, 1],
    [19, 18, true, 18],
    [19, 1, true, 1],
    [19, 146, true, 18],
    [131, 0, true, 130],
    [131, 0, false, 1],
    // A cookie from when auditors of the installation were not above organizations.
    [131, 2, true, 2],
    [131, 146, true, 130],
    [3, 0, true, 2],
    [3, 0, false, 1],
    [3, 3, true, 3],
    [3, 1, true, 1],
    [3, 18, true, 2],
    [1, 0, true, 1],
    [1, 0, false, 1],
    [1, 146, true, 1],
    [1, 146, false, 1],
    [1, 2, true, 1],
    [0, 0, true, 0],
    [0, 1, true, 0],
  ])(
    'chooses from bits %i, remembering %i, organizations: %s, the role %i',
    (permissions, remembered, hasOrganizations, current) => {
      expect(currentRole(permissions, remembered, hasOrganizations)).toBe(current);
    },
  );

  it('stays within the permissions with any cookie', () => {
    for (const permissions of [147, 131, 19, 3, 1])
      for (let remembered = 0; remembered < 256; remembered += 1)
        for (const hasOrganizations of [true, false]) {
          const role = currentRole(permissions, remembered, hasOrganizations);
          expect(role & ~permissions).toBe(0);
          expect(role).not.toBe(0);
        }
  });
});
