import {
  ADMIN_PAGE_BITS,
  currentRole,
  isAdminRole,
  Permission,
  type Profile,
  permissionsOf,
  ROLE_COOKIE_DAYS,
  Role,
  rolesOf,
} from '@sallyport/contract';
import { COOKIES, deleteCookie, readCookie, writeCookie } from '../../kit/cookies.ts';
import type { Organization } from '../../kit/organization.ts';
import { preferredOrganization } from './organizations.ts';

/** What a person may be in the current organization, and what they are now. */
export interface RoleChoice {
  readonly roles: readonly number[];
  readonly permissions: number;
  readonly current: number;
}

type Person = Pick<Profile, 'role' | 'current_org_roles' | 'admin_or_audit_orgs'>;

/** Works out roles, permission bits and the role to start in; `remembered` is the role cookie, 0 for none. */
export function chooseRole(person: Person, remembered: number): RoleChoice {
  const standing = { role: person.role, organizationRoles: person.current_org_roles };
  const permissions = permissionsOf(standing);
  return {
    roles: rolesOf(standing),
    permissions,
    current: currentRole(permissions, remembered, person.admin_or_audit_orgs.length > 0),
  };
}

/** The role that the cookie remembers; 0 for none or nonsense. */
export function rememberedRole(): number {
  const value = Number(readCookie(COOKIES.role));
  return Number.isInteger(value) && value > 0 ? value : 0;
}

/** Remembers the role for two weeks. */
export function rememberRole(role: number): void {
  writeCookie(COOKIES.role, String(role), { days: ROLE_COOKIE_DAYS });
}

/** Lets the guard choose again, as at a first visit. */
export function forgetRole(): void {
  deleteCookie(COOKIES.role);
}

/** Which way the account menu offers to switch; `undefined` when there is no other side. */
export function switchTarget(
  choice: RoleChoice,
  organizations: number,
): 'admin' | 'user' | undefined {
  if (choice.roles.length < 2 && organizations === 0) return undefined;
  if (isAdminRole(choice.current))
    return (choice.permissions & Permission.USE) === 0 ? undefined : 'user';
  return 'admin';
}

/** What choosing the other side does: it takes a role here, or leads to an organization where there is one to take. */
export type SideStep =
  | { readonly kind: 'role'; readonly role: number }
  | { readonly kind: 'organization'; readonly organization: Organization };

/**
 * The step to the other side (conformance 4.12): to the plain user role where USE is held; to the admin-level part of the permissions; and
 * without any here, to another organization that one administers or audits. `undefined` when nothing is left.
 */
export function stepTo(
  target: 'admin' | 'user',
  permissions: number,
  organizations: readonly Organization[],
  here: string | undefined,
): SideStep | undefined {
  if (target === 'user')
    return (permissions & Permission.USE) === 0 ? undefined : { kind: 'role', role: Role.User };
  const admin = adminRole(permissions);
  if (admin !== 0) return { kind: 'role', role: admin };
  const organization = preferredOrganization(organizations.filter(({ id }) => id !== here));
  return organization && { kind: 'organization', organization };
}

/** The role of the admin side; 0 when the permissions of this organization hold none of its bits. */
export function adminRole(permissions: number): number {
  return permissions & ADMIN_PAGE_BITS;
}
