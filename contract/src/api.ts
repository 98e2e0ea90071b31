import type { Row } from './kit/resource.ts';
import type { user } from './resources/users/user.ts';
import type { AccountRole, OrganizationRole } from './roles.ts';

/** The wire shapes that are not resources. Paths are below `/api/v1/` unless they begin with a slash. */

/** A page of a list: what a list answers when `limit` is a positive integer (a bare array otherwise). */
export interface Page<T> {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly T[];
}

/** GET users/profile/ */
export type Profile = Row<typeof user> & {
  readonly role: AccountRole;
  readonly public_key_comment: string;
  readonly public_key_hash_md5: string;
  readonly admin_or_audit_orgs: readonly { readonly id: string; readonly name: string }[];
  readonly current_org_roles: readonly OrganizationRole[];
  readonly guide_url: string | null;
  /** Days until the password expires; null where it is kept elsewhere. */
  readonly password_days_left: number | null;
  /** Fields beyond the description that the own profile may change, with the password or a second factor. */
  readonly own_changes: readonly ('name' | 'email' | 'date_expired')[];
};

/** GET terminal/ssh/: how SSH clients reach this bastion. Our own addition. */
export interface SshAccess {
  /** Blank: the host of the console's address. */
  readonly host: string;
  /** 0: the SSH listener is switched off. */
  readonly port: number;
  readonly host_keys: readonly { readonly public_key: string; readonly fingerprint: string }[];
  /** The key that signs the certificates which the bastion shows in the place of servers behind `ssh -J`; blank where there is no listener. */
  readonly host_ca: string;
}

/** GET settings/public/ answers `{data: PublicSettings}`; no sign-in needed. */
export interface PublicSettings {
  readonly WINDOWS_SKIP_ALL_MANUAL_PASSWORD: boolean;
  readonly SECURITY_MAX_IDLE_TIME: number;
  readonly XPACK_ENABLED: boolean;
  readonly XPACK_LICENSE_IS_VALID: boolean;
  readonly LOGIN_CONFIRM_ENABLE: boolean;
  readonly SECURITY_VIEW_AUTH_NEED_MFA: boolean;
  readonly SECURITY_MFA_VERIFY_TTL: number;
  /** Our own addition: days after which a new access key ends at the latest; 0: never. */
  readonly SECURITY_ACCESS_KEY_MAX_DAYS: number;
  readonly SECURITY_COMMAND_EXECUTION: boolean;
  readonly LOGO_URLS: {
    readonly logo_logout: string;
    readonly logo_index: string;
    readonly login_image: string;
    readonly favicon: string;
  };
  readonly PASSWORD_RULE: {
    readonly SECURITY_PASSWORD_MIN_LENGTH: number;
    readonly SECURITY_PASSWORD_UPPER_CASE: boolean;
    readonly SECURITY_PASSWORD_LOWER_CASE: boolean;
    readonly SECURITY_PASSWORD_NUMBER: boolean;
    readonly SECURITY_PASSWORD_SPECIAL_CHAR: boolean;
  };
  /** Our own addition: the title next to the logos; blank: the product's name. */
  readonly LOGIN_TITLE: string;
  /** Our own additions: the name of the provider of each kind that people can sign in with; blank when there is none. */
  readonly AUTH_OPENID_BUTTON: string;
  readonly AUTH_SAML_BUTTON: string;
  readonly AUTH_CAS_BUTTON: string;
  /** A mail server is set up, so links to choose a password can be sent. */
  readonly PASSWORD_BY_MAIL: boolean;
  /** Our own addition: how many rows My assets shows at first: `all`, `auto`, or a number. */
  readonly TERMINAL_ASSET_LIST_PAGE_SIZE: string;
  /** Our own addition: whether people may keep an SSH key. */
  readonly TERMINAL_PUBLIC_KEY_AUTH: boolean;
  /** Our own addition: sample data and a sandboxed target are in place. */
  readonly DEMO_MODE: boolean;
  readonly VERSION: string;
}

/** GET xpack/license/detail; without a license everything is null. */
export interface LicenseDetail {
  readonly is_valid: boolean;
  readonly subscription_id: string | null;
  readonly corporation: string | null;
  /** The last day on which it holds. */
  readonly expired: string | null;
  /** How many assets it covers in all organizations together; 0 for as many as there are. */
  readonly asset_count: number | null;
  readonly edition: string | null;
  /** How many there are. */
  readonly asset_used: number;
  /** True if this installation issued its own license. */
  readonly is_own: boolean;
  /** Why this server cannot issue the installation's own license, in the caller's language; null when it can. */
  readonly issue_refusal: string | null;
}

/** What a change did to one field, in the language and the zone of the reader; blank for nothing. */
export interface ChangeInWords {
  readonly field: string;
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** The objects that the texts name, in their order; empty where they name none. */
  readonly before_objects: readonly ChangedObject[];
  readonly after_objects: readonly ChangedObject[];
}

/** An object that a change names. */
export interface ChangedObject {
  readonly name: string;
  readonly resource: string;
  /** Null: it is gone, or belongs to another organization. */
  readonly id: string | null;
}

/** GET xpack/interface/setting: the title, and an address for each picture. */
export interface InterfaceSetting {
  readonly login_title: string;
  readonly logo_index: string;
  readonly logo_logout: string;
  readonly login_image: string;
  readonly favicon: string;
}

/** A node or an asset in a tree. `id` of a node is its key. */
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

/** Some of the objects of one kind, and how many there are. */
export interface SomeNames {
  readonly count: number;
  readonly names: readonly string[];
}

/** POST perms/permission-summary/: what a permission with these objects says. */
export interface PermissionSummary {
  readonly users: SomeNames;
  readonly user_groups: SomeNames;
  readonly assets: SomeNames;
  readonly nodes: SomeNames;
  readonly system_users: SomeNames;
  /** Different users, directly and through groups. */
  readonly people: number;
  /** Different assets, directly and through nodes. */
  readonly reached: number;
}

/** The first object of each kind that a permission names. */
export type FirstNames = Readonly<
  Partial<
    Record<
      | 'users'
      | 'user_groups'
      | 'assets'
      | 'nodes'
      | 'remote_apps'
      | 'database_apps'
      | 'system_users',
      { readonly id: string; readonly name: string } | null
    >
  >
>;

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
}

/** A system user of GET perms/users/database-apps/{app}/system-users/ and of remote apps, by descending priority. */
export type GrantedAppSystemUser = Pick<
  GrantedSystemUser,
  'id' | 'name' | 'username' | 'priority' | 'protocol' | 'login_mode'
>;

/** GET perms/users/remote-apps/tree/ and perms/users/database-apps/tree/ */
export interface AppTreeNode extends Omit<TreeNode, 'meta'> {
  readonly meta: { readonly type: 'remote_app' | 'database_app' };
}

/** GET perms/users/assets/{asset}/system-users/, by ascending priority. */
export interface GrantedSystemUser {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly priority: number;
  readonly protocol: string;
  readonly login_mode: 'auto' | 'manual';
  readonly sftp_root: string;
  readonly username_same_with_user: boolean;
  readonly actions: readonly string[];
}

/** GET assets/favorite-assets/ (bare array); POST {asset}; DELETE ?asset= */
export interface FavoriteAsset {
  readonly asset: string;
}

/** GET applications/favorite-remote-apps/ (bare array); POST {remote_app}; DELETE ?remote_app= */
export interface FavoriteRemoteApp {
  readonly remote_app: string;
}

/** GET applications/favorite-database-apps/ (bare array); POST {database_app}; DELETE ?database_app= */
export interface FavoriteDatabaseApp {
  readonly database_app: string;
}

/** GET assets/assets/{id}/host-keys/ (bare array): what is pinned for the asset and for each hop towards it. */
export interface HostKey {
  readonly id: string;
  readonly hop: 'asset' | 'gateway';
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly key_type: string;
  readonly fingerprint: string;
  readonly date_pinned: string;
  /** Another key was offered since; POST assets/host-keys/{id}/accept/ makes it the pinned one. */
  readonly offered: {
    readonly key_type: string;
    readonly fingerprint: string;
    readonly date: string;
  } | null;
}

/** POST assets/host-keys/{id}/accept/ */
export interface AcceptedHostKey {
  /** Of the offered key that was reviewed; 409 when another one is offered by now. */
  readonly fingerprint: string;
}

/** GET /api/health/ */
export interface Health {
  readonly status: 1 | 0;
  readonly time: number;
  readonly version: string;
  readonly demo: boolean;
  /** Present while the server stops: it takes no new sessions, and waits for those that are open as long as the setting says. */
  readonly stopping?: true;
  readonly dependencies: Readonly<
    Record<string, { readonly status: 'up' | 'down'; readonly detail?: string }>
  >;
  /** Only for those above organizations, and only when the server was started again after a crash. */
  readonly previous_end?: {
    readonly date: string;
    readonly reason: string;
    readonly restarts: number;
  };
}

/** One thing that happened in a session, or a while in which nothing did. */
export interface TimelineEntry {
  /** `idle`: nothing was entered and no file was touched. `interruption`: nobody was at the near end. */
  readonly kind: 'command' | 'file' | 'idle' | 'interruption';
  /** Seconds since the session began. */
  readonly at: number;
  /** How long it lasted; 0 for a moment. */
  readonly seconds: number;
  /** The beginning of the command, the path of the file, the address from which the user came back; empty for idle time. */
  readonly text: string;
  /** What was done with the file, as a choice of `operate` of the file-transfer log. */
  readonly operate: string | null;
  readonly risk_level: number;
  /** False for a command that was denied, a statement that failed, and for a file operation that was not done, or not whole. */
  readonly is_success: boolean;
}

/** GET terminal/sessions/{id}/timeline/; the earliest entry first. */
export interface SessionTimeline {
  /** How long the session lasted; of a live one, until the latest of what happened. */
  readonly seconds: number;
  readonly entries: readonly TimelineEntry[];
  /** Ordinary commands and files that are not listed, because there are too many. */
  readonly left_out: number;
}

/** POST terminal/tasks/kill-session/ with an array of session ids, or with `{ sessions, reason }`. */
export interface KillSessionReply {
  readonly ok: readonly string[];
}

/** GET terminal/sessions/{id}/replay/; `src` is the file: an asciicast, gzip-encoded by Content-Encoding, or the blocks of a desktop. */
export interface ReplayInfo {
  readonly type: 'asciicast' | 'desktop';
  readonly src: string;
  readonly user: string;
  readonly asset: string;
  readonly system_user: string;
  readonly date_start: string;
  readonly date_end: string | null;
  readonly download_url: string;
  readonly state: 'recording' | 'finished' | 'recovered';
}

/** The body of every refusal but field problems: `detail` is one sentence in the caller's language. */
export interface ErrorBody {
  readonly code: string;
  readonly detail: string;
}

/** Field problems: each field's sentences. */
export type FieldErrorBody = Readonly<Record<string, readonly string[]>>;

/** OPTIONS. */
export interface FieldMetadata {
  readonly type: string;
  readonly required: boolean;
  readonly read_only: boolean;
  readonly label: string;
  readonly help_text?: string;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly write_only: boolean;
  readonly child?: FieldMetadata;
  /** The fields of a nested object. */
  readonly children?: Readonly<Record<string, FieldMetadata>>;
  readonly choices?: readonly {
    readonly value: string | number | boolean;
    readonly display_name: string;
  }[];
  readonly filter?: true;
  readonly order?: true;
  /** Our additions, beyond the reference: the resource a relation points at, and the value a new form begins with. */
  readonly target?: string;
  readonly multiple?: boolean;
  readonly multiline?: boolean;
  readonly default?: unknown;
}

export interface ResourceMetadata {
  readonly name: string;
  readonly description: string;
  readonly renders: readonly string[];
  readonly parses: readonly string[];
  readonly actions?: Readonly<
    Partial<Record<'GET' | 'POST' | 'PUT', Readonly<Record<string, FieldMetadata>>>>
  >;
}

/** Rows that stay when an import is undone: they were changed or used since. */
interface KeptRows {
  readonly kept: number;
  /** What some of them are called. */
  readonly kept_names: readonly string[];
}

/** What undoing an import would delete. */
export interface ImportToUndo extends KeptRows {
  /** That of the job. */
  readonly id: string;
  readonly resource: string;
  readonly resource_display: string;
  readonly count: number;
  /** Nodes that it made and that are there: those that are empty then go, too. */
  readonly nodes: number;
}

/** What undoing an import deleted. */
export interface UndoneImport extends KeptRows {
  readonly removed: number;
  readonly removed_nodes: number;
}
