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

/** A system user of an access, with the allowed actions. */
export interface AccessAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  readonly actions: readonly string[];
}

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** The condition of a permission. */
export interface AccessCondition {
  readonly name: string;
  /** The condition in words. */
  readonly sentence: string;
  /** The failing hours or period, in words; empty if they include now. */
  readonly not_now: string;
}

/**
 * One reason for an access: the permission, the group through which it names the user, and the node
 * through which it reaches the asset.
 */
export interface AccessPath {
  readonly permission: Named;
  readonly valid_until: string;
  /** Null: the permission names the user. */
  readonly group: Named | null;
  /** Null: the permission names the asset. */
  readonly node: Named | null;
  /** Null: the permission always holds. */
  readonly condition: AccessCondition | null;
  /** True: a reviewer decides on each connection. */
  readonly needs_approval: boolean;
  /** True: input passes only while a reviewer watches. */
  readonly needs_watcher: boolean;
}

/** The access of a user to an asset: system users and reasons. */
export interface ExplainedAccess {
  readonly accounts: readonly AccessAccount[];
  readonly paths: readonly AccessPath[];
  /** End of the last permission. */
  readonly valid_until: string;
}

/** A row of GET perms/access/assets/{asset}/users/. */
export interface UserAccess extends ExplainedAccess {
  readonly id: string;
  readonly name: string;
  readonly username: string;
}

/** A row of GET perms/access/users/{user}/assets/. */
export interface AssetAccess extends ExplainedAccess {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
}

/**
 * A branch of an access tree: a permission with group and node, and the number of users or assets
 * that it reaches.
 */
export interface AccessBranch extends AccessPath {
  readonly accounts: readonly AccessAccount[];
  readonly count: number;
}

/** A user at the end of a branch: a row of GET perms/access/permissions/{permission}/users/. */
export type UserLeaf = Pick<UserAccess, 'id' | 'name' | 'username'>;

/** An asset at the end of a branch: a row of GET perms/access/permissions/{permission}/assets/. */
export type AssetLeaf = Pick<AssetAccess, 'id' | 'hostname' | 'ip'>;

/** Reasons why a permission does not grant an asset to a user. */
export const OBSTACLES = [
  'disabled',
  'not_started',
  'expired',
  'user',
  'asset',
  'protocol',
] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** A permission that almost grants the access, with its obstacles. */
export interface NearPermission {
  readonly permission: Named;
  readonly obstacles: readonly Obstacle[];
  /** Protocols of its system users and of the target. Empty unless `protocol` is an obstacle. */
  readonly account_protocols: readonly string[];
  readonly target_protocols: readonly string[];
  readonly date_start: string;
  readonly date_expired: string;
}

/** Obstacles independent of permissions. */
export const GENERAL_OBSTACLES = ['user_disabled', 'user_expired', 'asset_disabled'] as const;
export type GeneralObstacle = (typeof GENERAL_OBSTACLES)[number];

/**
 * GET perms/access/check/?user=&asset=: yes with reasons, or no with obstacles, nearest permission
 * first.
 */
export interface AccessCheck {
  readonly granted: boolean;
  readonly access: ExplainedAccess | null;
  readonly general: readonly GeneralObstacle[];
  readonly near: readonly NearPermission[];
}

/**
 * GET perms/users/administrators/: names of users who can grant access in the current organization,
 * without addresses and ids.
 */
export interface WhomToAsk {
  readonly names: readonly string[];
  /** The total, with unnamed ones. */
  readonly count: number;
  /** True if users may send requests for access. */
  readonly requests: boolean;
}
