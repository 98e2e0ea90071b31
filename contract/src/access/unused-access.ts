/** Periods of the report, in days. */
export const UNUSED_DAYS = [30, 90, 180] as const;
export const DEFAULT_UNUSED_DAYS = 90;

/** Kinds of unused access: a whole permission, or a member of a used one. */
export const UNUSED_KINDS = ['permission', 'user', 'user_group', 'asset', 'node'] as const;
export type UnusedKind = (typeof UNUSED_KINDS)[number];

/** A row of GET perms/access/unused/. */
export interface UnusedAccess {
  /** Id of permission and member together. */
  readonly id: string;
  readonly kind: UnusedKind;
  readonly permission: string;
  readonly permission_display: string;
  /** Id of the unused member; null: the whole permission is unused. */
  readonly member: string | null;
  readonly member_display: string | null;
  /** Start of the grant. */
  readonly since: string;
  /** Last use; null: never. */
  readonly last_used: string | null;
  readonly valid_until: string;
}

/** GET perms/access/permissions/{permission}/use/: the use of a permission. */
export interface PermissionUse {
  /** Start of the last session under it; null: never. */
  readonly last_used: string | null;
  /** Users with such a session within the default period. */
  readonly users: number;
  /** Users named by the permission, directly or by group. */
  readonly named: number;
  readonly days: number;
  /** True if it is younger than the period. */
  readonly is_new: boolean;
}
