import type { LocalText } from './kit/text.ts';

export const Permission = { USE: 1, AUDIT: 2, ADMIN: 16, SUPER: 128 } as const;

export const Role = {
  SuperAdmin: Permission.SUPER | Permission.ADMIN | Permission.AUDIT,
  SuperAuditor: Permission.SUPER | Permission.AUDIT | Permission.USE,
  OrgAdmin: Permission.ADMIN | Permission.AUDIT,
  OrgAuditor: Permission.AUDIT | Permission.USE,
  User: Permission.USE,
  Anonymous: 0,
} as const;

/** Any of these bits opens the admin pages. */
export const ADMIN_PAGE_BITS = Permission.SUPER | Permission.ADMIN | Permission.AUDIT;

/** Role of an account in the whole installation, as stored and sent. */
export type AccountRole = 'Admin' | 'User' | 'Auditor';

/** Role in one organization, as sent in `current_org_roles`. */
export type OrganizationRole = 'Admin' | 'Auditor' | 'User';

export interface CallerRoles {
  readonly role: AccountRole;
  readonly organizationRoles: readonly OrganizationRole[];
}

/**
 * Returns the roles that a caller may choose in the console, most powerful first (conformance
 * 4.10).
 */
export function rolesOf(roles: CallerRoles): number[] {
  if (roles.role === 'Admin') return [Role.SuperAdmin, Role.User];
  if (roles.organizationRoles.includes('Admin')) return [Role.OrgAdmin, Role.User];
  // Auditors of the installation are above its organizations.
  if (roles.role === 'Auditor') return [Role.SuperAuditor];
  if (roles.organizationRoles.includes('Auditor')) return [Role.OrgAuditor];
  return [Role.User];
}

export function permissionsOf(roles: CallerRoles): number {
  return rolesOf(roles).reduce((bits, role) => bits | role, 0);
}

/**
 * Returns true if `bits` contains all bits of `needed`, but false for an empty `needed`: pass USE
 * to allow every signed-in user.
 */
export function allows(bits: number, needed: number): boolean {
  return needed !== 0 && (bits & needed) === needed;
}

/** Returns true for a role of the admin area: no bit outside of SUPER, ADMIN and AUDIT. */
export function isAdminRole(role: number): boolean {
  return role !== 0 && (role & ~ADMIN_PAGE_BITS) === 0;
}

/**
 * Returns the initial role of the console (conformance 4.8): the remembered role if the permissions
 * cover it; the user role without organizations to administer; the admin part of the permissions;
 * else the user part.
 */
export function currentRole(
  permissions: number,
  remembered: number,
  hasAdminOrganizations: boolean,
): number {
  if (remembered !== 0 && (permissions & remembered) === remembered) return remembered;
  if (!hasAdminOrganizations) return Permission.USE;
  const admin = permissions & ADMIN_PAGE_BITS;
  return admin !== 0 ? admin : permissions & Permission.USE;
}

export const ACCOUNT_ROLE_LABELS: Readonly<Record<AccountRole, LocalText>> = {
  Admin: { en: 'Administrator', zh: '管理员' },
  User: { en: 'User', zh: '用户' },
  Auditor: { en: 'Auditor', zh: '审计员' },
};
