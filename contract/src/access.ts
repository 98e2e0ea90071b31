/** A system user that an access uses, and what may be done with it. */
export interface AccessAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  readonly actions: readonly string[];
}

/** An object as an explanation names it. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** One reason for an access: a permission, the group by which it names the user, and the node by which it reaches the asset. */
export interface AccessPath {
  readonly permission: Named;
  /** When the permission ends. */
  readonly valid_until: string;
  /** Null: the permission names the user. */
  readonly group: Named | null;
  /** Null: the permission names the asset. */
  readonly node: Named | null;
}

/** That a user reaches an asset, with which system users, and why. */
export interface ExplainedAccess {
  readonly accounts: readonly AccessAccount[];
  readonly paths: readonly AccessPath[];
  /** When the last of the permissions ends. */
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

/** A branch of an access tree: one permission, the group and the node by which it leads somewhere, and to how many users or assets. */
export interface AccessBranch extends AccessPath {
  /** The system users that it allows there. */
  readonly accounts: readonly AccessAccount[];
  readonly count: number;
}

/** A user at the end of a branch: a row of GET perms/access/permissions/{permission}/users/. */
export type UserLeaf = Pick<UserAccess, 'id' | 'name' | 'username'>;

/** An asset at the end of a branch: a row of GET perms/access/permissions/{permission}/assets/. */
export type AssetLeaf = Pick<AssetAccess, 'id' | 'hostname' | 'ip'>;

/** Why a permission does not grant an asset to a user. */
export const OBSTACLES = [
  'disabled',
  'not_started',
  'expired',
  'user',
  'asset',
  'protocol',
] as const;
export type Obstacle = (typeof OBSTACLES)[number];

/** A permission that nearly grants what was asked for, and what is in its way. */
export interface NearPermission {
  readonly permission: Named;
  readonly obstacles: readonly Obstacle[];
  readonly date_start: string;
  readonly date_expired: string;
}

/** What is in the way whatever the permissions say. */
export const GENERAL_OBSTACLES = ['user_disabled', 'user_expired', 'asset_disabled'] as const;
export type GeneralObstacle = (typeof GENERAL_OBSTACLES)[number];

/** GET perms/access/check/?user=&asset=: yes with the reasons, or no with what is in the way, the nearest permission first. */
export interface AccessCheck {
  readonly granted: boolean;
  readonly access: ExplainedAccess | null;
  readonly general: readonly GeneralObstacle[];
  readonly near: readonly NearPermission[];
}
