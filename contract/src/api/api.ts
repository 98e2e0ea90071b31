import type { FeatureName } from '../features/features.ts';
import type { Row } from '../kit/resource.ts';
import type { user } from '../resources/users/user.ts';
import type { AccountRole, OrganizationRole } from '../roles.ts';

/**
 * Wire shapes that are not resources. Paths are below `/api/v1/` unless they start with a slash.
 */

/** A page of a list, sent if `limit` is a positive integer; otherwise lists are bare arrays. */
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
  /** Days until the password expires; null if another system stores it and did not say. */
  readonly password_days_left: number | null;
  /** Sign-ins that the source of the account still allows with its expired password. */
  readonly password_sign_ins_left: number | null;
  /** Fields that users may change themselves, with their password or a second factor. */
  readonly own_changes: readonly ('name' | 'email' | 'date_expired')[];
  /** The watermark of this user's screens; null if the installation shows none. */
  readonly watermark: Watermark | null;
};

/** A text over screens that shows who looks at them. Pages add the time. */
export interface Watermark {
  /** Name of the user and address of the request. */
  readonly text: string;
  readonly strength: 'light' | 'medium' | 'strong';
}

/** GET terminal/ssh/: the SSH address of this bastion. Our own addition. */
export interface SshAccess {
  /** Empty: the host of the console's address. */
  readonly host: string;
  /** 0: the SSH listener is off. */
  readonly port: number;
  readonly host_keys: readonly { readonly public_key: string; readonly fingerprint: string }[];
  /** Key that signs the host certificates for `ssh -J`; empty without a listener. */
  readonly host_ca: string;
}

/** GET users/profile/start/: what the start of the console needs, in one answer. */
export interface ConsoleStart {
  readonly profile: Profile;
  readonly preferences: object;
  readonly settings: PublicSettings;
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
  /** Our own addition: maximum days until a new access key expires; 0: never. */
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
  /** Our own addition: features that this installation switched off; only for signed-in users. */
  readonly FEATURES_OFF?: readonly FeatureName[];
  /** Our own addition: the title next to the logos; empty: the product's name. */
  readonly LOGIN_TITLE: string;
  /** Our own addition: the text before sign-in; empty: none. */
  readonly SIGN_IN_NOTICE: string;
  /** Our own addition, for signed-in callers: the announcement in force. */
  readonly ANNOUNCEMENT?: Announcement;
  /** Our own addition, for signed-in callers: pages of the operator; empty: the console's own. */
  readonly OUTSIDE_PAGES?: OutsidePages;
  /** Our own additions: provider names by kind of sign-in; empty if not configured. */
  readonly AUTH_OPENID_BUTTON: string;
  readonly AUTH_SAML_BUTTON: string;
  readonly AUTH_CAS_BUTTON: string;
  /**
   * Our own addition, for signed-in callers: the address that links in mails begin with. Absent if
   * the operator fixed it.
   */
  readonly MAIL_SITE?: string;
  /** True if a mail server is configured to send links for choosing a password. */
  readonly PASSWORD_BY_MAIL: boolean;
  /** Our own addition: initial number of rows in My assets: `all`, `auto`, or a number. */
  readonly TERMINAL_ASSET_LIST_PAGE_SIZE: string;
  /** Our own addition: true if users may store an SSH key. */
  readonly TERMINAL_PUBLIC_KEY_AUTH: boolean;
  /** Our own addition: true if the installation has sample data and a sandboxed target. */
  readonly DEMO_MODE: boolean;
  /** Version of the API. */
  readonly VERSION: string;
  /** Our own addition: the version of the program. */
  readonly PRODUCT_VERSION: string;
  /** Our own addition, for callers above organizations: the commit, if the build recorded it. */
  readonly PRODUCT_COMMIT?: string;
}

/** Addresses that replace pages of the console; empty: none. */
export interface OutsidePages {
  readonly docs: string;
  readonly support: string;
  readonly enterprise: string;
  readonly monitor: string;
}

/** A line of text above the pages of the console. */
export interface Announcement {
  readonly text: string;
  readonly level: 'info' | 'warning' | 'critical';
  /** Address with more; empty: none. */
  readonly link: string;
  readonly closable: boolean;
  /** Changes with text, level and link. Users close a version. */
  readonly version: string;
}

/** GET xpack/license/detail; without a license all members are null. */
export interface LicenseDetail {
  readonly is_valid: boolean;
  readonly subscription_id: string | null;
  readonly corporation: string | null;
  /** Last valid day. */
  readonly expired: string | null;
  /** Licensed assets in all organizations together; 0: unlimited. */
  readonly asset_count: number | null;
  readonly edition: string | null;
  /** Existing assets. */
  readonly asset_used: number;
  /** True if this installation issued its own license. */
  readonly is_own: boolean;
  /**
   * Reason why this server cannot issue its own license, in the caller's language; null if it can.
   */
  readonly issue_refusal: string | null;
}

/** The change of one field, in the reader's language and time zone; empty for no value. */
export interface ChangeInWords {
  readonly field: string;
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** Objects that the texts name, in order; empty if they name none. */
  readonly before_objects: readonly ChangedObject[];
  readonly after_objects: readonly ChangedObject[];
}

export interface ChangedObject {
  readonly name: string;
  readonly resource: string;
  /** Null if it was deleted, or belongs to another organization. */
  readonly id: string | null;
}

/** GET xpack/interface/setting: the title and the picture addresses. */
export interface InterfaceSetting {
  readonly login_title: string;
  readonly logo_index: string;
  readonly logo_logout: string;
  readonly login_image: string;
  readonly favicon: string;
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

/**
 * GET assets/assets/{id}/host-keys/ (bare array): the pinned keys of the asset and of each hop to
 * it.
 */
export interface HostKey {
  readonly id: string;
  readonly hop: 'asset' | 'gateway';
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly key_type: string;
  readonly fingerprint: string;
  readonly date_pinned: string;
  /** A different key that the server offered since. POST assets/host-keys/{id}/accept/ pins it. */
  readonly offered: {
    readonly key_type: string;
    readonly fingerprint: string;
    readonly date: string;
  } | null;
}

/** POST assets/host-keys/{id}/accept/ */
export interface AcceptedHostKey {
  /** Fingerprint of the reviewed key; 409 if the server offers another one by now. */
  readonly fingerprint: string;
}

/** GET /api/health/ */
export interface Health {
  readonly status: 1 | 0;
  readonly time: number;
  /** Version of the program. */
  readonly version: string;
  /** Only for callers above organizations: the commit of the program, if the build recorded it. */
  readonly commit?: string;
  readonly demo: boolean;
  /**
   * Present while the server stops: it accepts no new sessions and waits for open ones as long as
   * the setting says.
   */
  readonly stopping?: true;
  readonly dependencies: Readonly<
    Record<
      string,
      {
        readonly status: 'up' | 'down';
        readonly detail?: string;
        /**
         * The reason that keeps sessions from being recorded: `full`, `reserve`, `refused` (no
         * permission, or a read-only file system), `hanging`, `missing` or `unavailable`. A
         * database that answers and takes no changes has `full`, `refused` or `hanging`.
         */
        readonly code?: string;
      }
    >
  >;
  /** Only for callers above organizations, after a restart from a crash. */
  readonly previous_end?: {
    readonly date: string;
    readonly reason: string;
    readonly restarts: number;
  };
}

/**
 * POST terminal/tasks/kill-session/ with an array of session ids, or with `{ sessions, reason }`.
 */
export interface KillSessionReply {
  readonly ok: readonly string[];
}

/**
 * GET terminal/sessions/{id}/replay/. `src` is the file: an asciicast with gzip Content-Encoding,
 * or the blocks of a desktop.
 */
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
