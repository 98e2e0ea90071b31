import type { LocalText } from './kit/text.ts';

/** The permission bits (specification §6). */
export const Permission = { USE: 1, AUDIT: 2, ADMIN: 16, SUPER: 128 } as const;

/** The roles as sums of bits (specification §6). */
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

/** The cluster-wide role of an account, as stored and as sent. */
export type AccountRole = 'Admin' | 'User' | 'Auditor';

/** The role in one organization, as sent in `current_org_roles`. */
export type OrganizationRole = 'Admin' | 'Auditor' | 'User';

/** What a caller is in its current organization. */
export interface Standing {
  readonly role: AccountRole;
  readonly organizationRoles: readonly OrganizationRole[];
}

/** The roles a caller may take in the console, most powerful first (specification §6; console reference §B2). */
export function rolesOf(standing: Standing): number[] {
  if (standing.role === 'Admin') return [Role.SuperAdmin, Role.User];
  if (standing.organizationRoles.includes('Admin')) return [Role.OrgAdmin, Role.User];
  // Whoever audits the installation stands above its organizations.
  if (standing.role === 'Auditor') return [Role.SuperAuditor];
  if (standing.organizationRoles.includes('Auditor')) return [Role.OrgAuditor];
  return [Role.User];
}

/** All permission bits of a caller in its current organization. */
export function permissionsOf(standing: Standing): number {
  return rolesOf(standing).reduce((bits, role) => bits | role, 0);
}

/** Whether `bits` holds every bit of `needed`. Nothing needed is not the same as everybody: callers pass USE for that. */
export function allows(bits: number, needed: number): boolean {
  return needed !== 0 && (bits & needed) === needed;
}

/** Whether a role stands in the admin area (it has no bit outside SUPER, ADMIN and AUDIT). */
export function isAdminRole(role: number): boolean {
  return role !== 0 && (role & ~ADMIN_PAGE_BITS) === 0;
}

/**
 * The role the console starts in: the remembered one when it is covered by the permissions; else the user role without admin
 * organizations; else the admin-page part of the permissions; else the user part (specification §4).
 */
export function currentRole(permissions: number, remembered: number, hasAdminOrganizations: boolean): number {
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
