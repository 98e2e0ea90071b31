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
import {
  COOKIES,
  deleteCookie,
  type Organization,
  readCookie,
  writeCookie,
} from '../../kit/cookies.ts';
import { preferredOrganization } from './organizations.ts';

/** Roles that the user may take in the current organization, and the current role. */
export interface RoleChoice {
  readonly roles: readonly number[];
  readonly permissions: number;
  readonly current: number;
}

type Person = Pick<Profile, 'role' | 'current_org_roles' | 'admin_or_audit_orgs'>;

/**
 * Computes roles, permission bits and the initial role. `remembered` is the role cookie, 0 if
 * unset.
 */
export function chooseRole(person: Person, remembered: number): RoleChoice {
  const standing = { role: person.role, organizationRoles: person.current_org_roles };
  const permissions = permissionsOf(standing);
  return {
    roles: rolesOf(standing),
    permissions,
    current: currentRole(permissions, remembered, person.admin_or_audit_orgs.length > 0),
  };
}

/** The role in the cookie; 0 if unset or invalid. */
export function rememberedRole(): number {
  const value = Number(readCookie(COOKIES.role));
  return Number.isInteger(value) && value > 0 ? value : 0;
}

export function rememberRole(role: number): void {
  writeCookie(COOKIES.role, String(role), { days: ROLE_COOKIE_DAYS });
}

/** Deletes the role cookie; the guard then chooses a role as at a first visit. */
export function forgetRole(): void {
  deleteCookie(COOKIES.role);
}

/** The side that the account menu offers; undefined if the user has only one side. */
export function switchTarget(
  choice: RoleChoice,
  organizations: number,
): 'admin' | 'user' | undefined {
  if (choice.roles.length < 2 && organizations === 0) return undefined;
  if (isAdminRole(choice.current))
    return (choice.permissions & Permission.USE) === 0 ? undefined : 'user';
  return 'admin';
}

/**
 * A switch to the other side: a role here, or another organization in which the user has that role.
 */
export type SideStep =
  | { readonly kind: 'role'; readonly role: number }
  | { readonly kind: 'organization'; readonly organization: Organization };

/**
 * Returns the step to the other side (conformance 4.12), or undefined if none exists. The user side
 * requires USE. The admin side takes the admin bits of the permissions. Without admin bits here,
 * the step leads to another organization that the user administers or audits.
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

/** The admin bits of the permissions; 0 if this organization grants none. */
export function adminRole(permissions: number): number {
  return permissions & ADMIN_PAGE_BITS;
}
