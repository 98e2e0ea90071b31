import { type ProviderSource, type ScimSource, SIGN_IN_SOURCES } from '../features/features.ts';

/**
 * Sign-in sessions, keys, invitations and identities of accounts. Paths are below `/api/v1/` unless
 * they start with a slash.
 */

/**
 * GET users/profile/sign-ins/ and, for administrators, users/users/{id}/sign-ins/ (bare arrays,
 * last used first). DELETE {list}{id}/ ends one (204). DELETE on the list ends all except the
 * caller's (204).
 */
export interface SignInRow {
  readonly id: string;
  readonly kind: 'browser' | 'bearer' | 'ssh' | 'agent';
  readonly remote_addr: string;
  readonly user_agent: string;
  /** Such as `Firefox on Linux`; empty if unknown. */
  readonly device: string;
  readonly date_created: string;
  readonly date_used: string;
  readonly date_expired: string;
  readonly current: boolean;
}

/**
 * GET users/users/{id}/access-keys/ for administrators of the account (a bare array, newest first,
 * without secrets). DELETE {list}{key}/ revokes one, DELETE on the list revokes all (204), with
 * everything opened by the key.
 */
export interface AccessKeyRow {
  readonly id: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly date_created: string;
  readonly date_expired: string | null;
  readonly date_last_used: string | null;
  /** Address of the last use; empty if unused. */
  readonly remote_addr: string;
}

/**
 * Answer of POST users/users/invite/ by account; `invited` users must accept first. It repeats only
 * the caller's input about them.
 */
export interface Invited {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly state: 'member' | 'invited';
}

/**
 * GET users/profile/invitations/: the caller's invitations. POST {list}{id}/accept/ accepts, DELETE
 * {list}{id}/ declines.
 *
 * GET users/users/invitations/: for administrators, those of the current organization. DELETE
 * {list}{id}/ withdraws.
 */
export interface Invitation {
  readonly id: string;
  /** The inviter's input: a username or an e-mail address. */
  readonly account: string;
  readonly organization: string;
  readonly invited_by: string;
  /** `expired`: no answer in time. The inviter sees it for two more weeks and may invite again. */
  readonly state: 'open' | 'expired';
  readonly date_created: string;
  readonly date_expired: string;
}

/**
 * GET users/profile/login-logs/?limit=&offset= (always a Page): the caller's sign-in attempts,
 * newest first.
 */
export interface OwnLoginLog {
  readonly id: string;
  readonly type: 'W' | 'T' | 'A';
  readonly type_display: string;
  readonly ip: string;
  readonly city: string | null;
  readonly user_agent: string | null;
  readonly mfa: 0 | 1 | 2;
  readonly mfa_display: string;
  readonly reason: string;
  readonly reason_display: string;
  readonly status: boolean;
  readonly status_display: string;
  readonly datetime: string;
}

/**
 * POST /core/auth/password/forgot/ {email}: 200 {msg}, the same for every address. The mail leads
 * to /core/auth/password/reset/#token=… ; POST /core/auth/password/reset/ {token, new_password}:
 * 200 {}, 400 `reset_link_invalid` or problems of new_password. Administrators: PATCH
 * users/users/{id}/password/reset/ and users/users/{id}/pubkey/reset/ (answer the user; 400
 * `mail_not_configured`),
 * GET or POST users/users/{id}/otp/reset/ → {msg: 'success'} (401 for oneself). Own key: GET
 * users/profile/public-key/ → PublicKeyInfo; PUT {public_key} → PublicKeyInfo;
 * POST users/profile/public-key/generate/ → GeneratedKey, shown once.
 */
export interface PublicKeyInfo {
  readonly public_key: string;
  readonly public_key_comment: string;
  readonly public_key_hash_md5: string;
}

export interface GeneratedKey extends PublicKeyInfo {
  readonly private_key: string;
  readonly filename: string;
}

/** Sources with passwords outside of Sallyport: users authenticate at a page of the provider. */
export const PROVIDER_SOURCES: readonly ProviderSource[] = SIGN_IN_SOURCES.flatMap((source) =>
  source.way === 'page' ? source.value : [],
);

/** Sign-in sources of users that an identity provider maintains by SCIM. */
export const SCIM_SOURCES = SIGN_IN_SOURCES.filter((source) => 'scim' in source);

/**
 * GET settings/providers/accounts/?source=: an identity provider with linked accounts. DELETE with
 * its `issuer` unlinks them.
 */
export interface ProviderLink {
  readonly issuer: string;
  readonly accounts: number;
  readonly date_used: string;
}

/** The identity of an account at a provider. */
export interface LinkedIdentity {
  readonly source: ProviderSource;
  readonly issuer: string;
  readonly subject: string;
  readonly date_created: string;
  readonly date_used: string;
  /** True if the account could not sign in without it. */
  readonly is_last_way: boolean;
}

/**
 * GET users/profile/identities/ and users/users/{id}/identities/: the identities, and what ends
 * with them.
 *
 * POST {list}end/ {source, issuer} ends one: of the caller with `password`, if required; of another
 * user with `way` ("link", or "password" with `password`). Ending the last way to sign in needs it:
 * 400 `identity_last_way`.
 */
export interface LinkedIdentities {
  readonly identities: readonly LinkedIdentity[];
  readonly sign_ins: number;
  readonly access_keys: number;
  readonly sessions: number;
}

/**
 * GET settings/scim/tokens/ (a bare array, newest first, without secrets); DELETE {list}{id}/
 * revokes.
 */
export interface ScimToken {
  readonly id: string;
  readonly name: string;
  readonly source: ScimSource;
  readonly created_by: string;
  readonly date_created: string;
  readonly date_expired: string;
  readonly date_last_used: string | null;
  /** Address of the last use; empty if unused. */
  readonly last_addr: string;
  readonly is_expired: boolean;
  /** False while the token waits for the approval of another administrator, and opens nothing. */
  readonly is_approved: boolean;
  /** True if the caller made the token, so another administrator approves it. */
  readonly is_own: boolean;
}

/** POST settings/scim/tokens/: the only answer with the token itself. */
export interface ScimTokenCreated extends ScimToken {
  readonly token: string;
}
