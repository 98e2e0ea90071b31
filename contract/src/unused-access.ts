/** The periods that a report of unused access can cover, in days. */
export const UNUSED_DAYS = [30, 90, 180] as const;
export const DEFAULT_UNUSED_DAYS = 90;

/** What nobody used: a whole permission, or something that a used permission names. */
export const UNUSED_KINDS = ['permission', 'user', 'user_group', 'asset', 'node'] as const;
export type UnusedKind = (typeof UNUSED_KINDS)[number];

/** A row of GET perms/access/unused/. */
export interface UnusedAccess {
  /** Of this row: permission and member together. */
  readonly id: string;
  readonly kind: UnusedKind;
  /** The id of the permission. */
  readonly permission: string;
  readonly permission_display: string;
  /** The id of what the permission names and nobody used; null: the whole permission. */
  readonly member: string | null;
  readonly member_display: string | null;
  /** Since when the access is granted. */
  readonly since: string;
  /** When somebody last used it; null: never. */
  readonly last_used: string | null;
  /** When the permission ends. */
  readonly valid_until: string;
}

/** GET perms/access/permissions/{permission}/use/: how much a permission is used. */
export interface PermissionUse {
  /** When somebody last began a session that it allowed; null: never. */
  readonly last_used: string | null;
  /** Users who did so within the default period. */
  readonly users: number;
  /** Users whom it names now, directly or by a group. */
  readonly named: number;
  /** Days of the period. */
  readonly days: number;
  /** Whether it is younger than the period. */
  readonly is_new: boolean;
}
