import { Permission, Role } from '@sallyport/contract';
import { describe, expect, it } from 'vitest';
import { namesAnObject, preferredOrganization } from './organizations.ts';
import { adminRole, chooseRole, stepTo, switchTarget } from './role.ts';

const organizations = [{ id: 'DEFAULT', name: 'DEFAULT' }];
const admin = { role: 'Admin', current_org_roles: [], admin_or_audit_orgs: organizations } as const;
const user = { role: 'User', current_org_roles: ['User'], admin_or_audit_orgs: [] } as const;
const auditor = {
  role: 'Auditor',
  current_org_roles: [],
  admin_or_audit_orgs: organizations,
} as const;

describe('the current role', () => {
  it('restores the role of the cookie only when the permissions cover it', () => {
    expect(chooseRole(admin, Role.User).current).toBe(Role.User);
    expect(chooseRole(user, Role.OrgAdmin).current).toBe(Role.User);
    expect(chooseRole(auditor, 0).current).toBe(Permission.SUPER | Permission.AUDIT);
  });

  it('offers the other side only to users who have one', () => {
    expect(switchTarget(chooseRole(admin, 0), 1)).toBe('user');
    expect(switchTarget(chooseRole(admin, Role.User), 1)).toBe('admin');
    expect(switchTarget(chooseRole(user, 0), 0)).toBeUndefined();
    expect(switchTarget(chooseRole(auditor, 0), 1)).toBe('user');
  });

  const here = { id: 'here', name: 'here' };
  const there = { id: 'there', name: 'there' };
  const inDefault = { id: 'DEFAULT', name: 'DEFAULT' };
  it.each([
    ['user', Role.User, [], { kind: 'role', role: Role.User }],
    ['user', Role.SuperAdmin | Role.User, [here], { kind: 'role', role: Role.User }],
    ['user', Role.SuperAdmin, [here], undefined],
    ['admin', Role.SuperAdmin | Role.User, [here], { kind: 'role', role: Role.SuperAdmin }],
    ['admin', Role.OrgAdmin | Role.User, [here, there], { kind: 'role', role: Role.OrgAdmin }],
    ['admin', Role.OrgAuditor, [here], { kind: 'role', role: Permission.AUDIT }],
    ['admin', Role.User, [there], { kind: 'organization', organization: there }],
    [
      'admin',
      Role.User,
      [here, there, inDefault],
      { kind: 'organization', organization: inDefault },
    ],
    ['admin', Role.User, [here], undefined],
    ['admin', Role.User, [], undefined],
  ] as const)(
    'goes to the %s page with the bits %d and %j by %j',
    (target, permissions, mine, expected) => {
      expect(stepTo(target, permissions, mine, here.id)).toEqual(expected);
    },
  );

  it('returns no admin role when the permissions hold no admin bit', () => {
    expect(adminRole(Role.User)).toBe(0);
    expect(adminRole(Role.SuperAdmin | Role.User)).toBe(Role.SuperAdmin);
  });
});

describe('the organization', () => {
  it('prefers the default organization', () => {
    const other = { id: 'a', name: 'a' };
    expect(preferredOrganization([other, { id: 'DEFAULT', name: 'DEFAULT' }])?.id).toBe('DEFAULT');
    expect(
      preferredOrganization([other, { id: '', name: 'DEFAULT' }, { id: 'DEFAULT', name: '' }])?.id,
    ).toBe('');
    expect(preferredOrganization([other])).toBe(other);
    expect(preferredOrganization([])).toBeUndefined();
  });

  it('recognizes the address of an object', () => {
    expect(namesAnObject('/ui/users/users/00000000-0000-0000-0000-000000000001')).toBe(true);
    expect(namesAnObject('/ui/users/users')).toBe(false);
  });
});
