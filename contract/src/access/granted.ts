/** Wire shapes of trees, grants and favorites. Paths are below `/api/v1/`. */

/** A node or an asset in a tree. The `id` of a node is its key. */
export interface TreeNode {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly pId: string;
  readonly isParent: boolean;
  readonly open: boolean;
  readonly iconSkin: string;
  readonly nocheck: boolean;
  readonly meta:
    | {
        readonly type: 'node';
        readonly node: {
          readonly id: string;
          readonly key: string;
          readonly value: string;
          readonly name?: string;
          readonly assets_amount: number;
        };
      }
    | {
        readonly type: 'asset';
        readonly asset: {
          readonly id: string;
          readonly hostname: string;
          readonly ip: string;
          readonly protocols: readonly string[];
          readonly platform: string;
          readonly domain: string | null;
          readonly org_id: string;
          readonly org_name: string;
          /** In the tree of administrators: 0 unreachable, 1 reachable, 2 unknown. */
          readonly reachability?: 0 | 1 | 2;
        };
      };
}

/** GET applications/remote-apps/{id}/connection-info/ */
export interface ConnectionInfo {
  readonly id: string;
  readonly name: string;
  readonly asset: string;
  readonly parameter_remote_app: {
    readonly program: string;
    readonly working_directory: string;
    readonly parameters: string;
  };
}

/** GET perms/users/assets/ and perms/users/nodes/{id}/assets/ */
export interface GrantedAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly protocols: readonly string[];
  readonly os: string | null;
  readonly domain: string | null;
  readonly platform: string;
  readonly comment: string;
  readonly org_id: string;
  readonly org_name: string;
  /**
   * The reason if conditions refuse all of its system users now. Absent otherwise, and in lists
   * without pages.
   */
  readonly not_now?: string;
}

/**
 * A system user of GET perms/users/database-apps/{app}/system-users/ and of remote apps, by
 * descending priority.
 */
export type GrantedAppSystemUser = Pick<
  GrantedSystemUser,
  'id' | 'name' | 'username' | 'priority' | 'protocol' | 'login_mode' | 'not_now'
>;

/** GET perms/users/remote-apps/tree/ and perms/users/database-apps/tree/ */
export interface AppTreeNode extends Omit<TreeNode, 'meta'> {
  readonly meta: { readonly type: 'remote_app' | 'database_app' | 'cluster' };
}

/** GET perms/users/assets/{asset}/system-users/, by ascending priority. */
export interface GrantedSystemUser {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly priority: number;
  readonly protocol: string;
  readonly login_mode: 'auto' | 'manual' | 'certificate';
  readonly sftp_root: string;
  readonly username_same_with_user: boolean;
  readonly actions: readonly string[];
  /** The reason if the conditions of its permissions refuse it now; absent otherwise. */
  readonly not_now?: string;
}

/** GET assets/favorite-assets/ (bare array); POST {asset}; DELETE ?asset= */
export interface FavoriteAsset {
  readonly asset: string;
}

/** GET applications/favorite-remote-apps/ (bare array); POST {remote_app}; DELETE ?remote_app= */
export interface FavoriteRemoteApp {
  readonly remote_app: string;
}

/**
 * GET applications/favorite-database-apps/ (bare array); POST {database_app}; DELETE ?database_app=
 */
export interface FavoriteDatabaseApp {
  readonly database_app: string;
}
