import type { Profile } from './api.ts';

/**
 * Signing in, second factors, passkeys, access keys and what people see of their own sign-ins.
 * Paths are below `/api/v1/` unless they begin with a slash. Field problems are 400 with a map by field, as everywhere.
 */

/** The state of an incomplete sign-in. */
export type SignInState =
  | 'password'
  | 'challenge'
  | 'password_expired'
  | 'mfa_unset'
  | 'mfa_required'
  | 'login_confirm';

/** Why a password has to be changed before a sign-in goes on: it is too old, or somebody else chose it. */
export type PasswordReason = 'expired' | 'assigned';

/** What can prove a second factor. `recovery` is one of the recovery codes. */
export type SecondFactor = 'totp' | 'passkey' | 'recovery';

/**
 * What every step of a browser's sign-in answers with 200:
 * POST /core/auth/login/ {username, password, next?}
 * POST /core/auth/login/challenge/ {answer}                                in state challenge
 * POST /core/auth/login/password/ {new_password, new_password_again}       in state password_expired
 * POST /core/auth/login/mfa/ SecondFactorProof                             in state mfa_required
 * POST /core/auth/login/confirm/                                           in state login_confirm
 * POST /core/auth/login/enrol/totp/confirm/ {code}                         in state mfa_unset
 * POST /core/auth/login/enrol/passkey/finish/ {name, response}             in state mfa_unset
 * POST passkey-login/finish/ {response, next?}                             (below authentication/) the first step without a password
 * Refusals: 400 `session_empty` (begin again), `mfa_failed`, `block_login`, `user_inactive`; 429 with Retry-After.
 */
export type SignInAnswer = SignedInAnswer | SignInPending;

export interface SignedInAnswer {
  readonly next: string;
  /** Shown once, after enrolling during the sign-in: show them before going on to `next`. */
  readonly recovery_codes?: readonly string[];
}

/** GET /core/auth/login/state/ answers this too (`password` when nothing has begun); POST /core/auth/login/cancel/ answers {} and forgets. */
export interface SignInPending {
  readonly state: SignInState;
  /** Name of the account whose password was right; blank in state `password`. */
  readonly username: string;
  /** In state mfa_required: what this account can use. */
  readonly factors: readonly SecondFactor[];
  /** In state challenge: the question, in the words of the server that checks the password. */
  readonly message?: string;
  /** In state password_expired. */
  readonly reason?: PasswordReason;
  /** In state login_confirm, once reviewers were asked. After `rejected` and `closed` the sign-in is over; after `approved` it goes on with POST /core/auth/login/confirm/. */
  readonly review?: SignInReview;
  /** Of login/state/: the name of the user who is already signed in with this browser. */
  readonly signed_in?: string;
}

/** What the reviewers of a sign-in said. */
export interface SignInReview {
  readonly ticket_id: string;
  readonly state: 'open' | 'approved' | 'rejected' | 'closed';
  /** The names of those who were asked. */
  readonly reviewers: readonly string[];
}

/** POST /core/auth/login/mfa/ . The passkey's options come from POST /core/auth/login/mfa/passkey/ as {options}. */
export type SecondFactorProof =
  | { readonly type: 'totp' | 'recovery'; readonly code: string }
  | { readonly type: 'passkey'; readonly response: PasskeyMessage };

/** JSON of the Web Authentication API as `@simplewebauthn/browser` takes and gives it. */
export type PasskeyMessage = Readonly<Record<string, unknown>>;

/**
 * Answer of every …/begin/ about passkeys: give `options` to startRegistration or startAuthentication as `optionsJSON`.
 * POST authentication/passkeys/begin/ {password?}, POST /core/auth/login/enrol/passkey/begin/, POST /core/auth/login/mfa/passkey/,
 * POST authentication/passkey-login/begin/ (public), POST authentication/mfa/passkey/begin/ (proving again while signed in).
 */
export interface PasskeyBegin {
  readonly options: PasskeyMessage;
}

/**
 * POST authentication/mfa/totp/begin/ {password?} and POST /core/auth/login/enrol/totp/begin/.
 * Valid for 10 minutes; nothing is changed before POST authentication/mfa/totp/confirm/ {code} answers MfaEnrolled.
 */
export interface TotpBegin {
  readonly secret: string;
  readonly uri: string;
  /** A whole `<svg>`: show it as an image by a data: address. */
  readonly qr_svg: string;
}

/** After a factor was added. The codes are there when they were made just now: with the first factor. */
export interface MfaEnrolled {
  readonly recovery_codes?: readonly string[];
}

/**
 * GET authentication/mfa/ .
 * Changing factors: with factors, `verified` must be true (otherwise 403 `mfa_verify_required`: POST authentication/otp/verify/ first);
 * without any, {password} has to be sent (400 on `password`).
 */
export interface MfaState {
  readonly level: 0 | 1 | 2;
  /** By level 2 or by the setting for all users: the last factor cannot be removed. */
  readonly forced: boolean;
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recovery_codes_left: number;
  /** A second factor was proved in this sign-in within SECURITY_MFA_VERIFY_TTL. */
  readonly verified: boolean;
  /** When that was, however long ago; null when it never was in this sign-in. */
  readonly date_verified: string | null;
}

/** GET authentication/passkeys/ (bare array); POST passkeys/begin/ then passkeys/finish/ {name, response} → 201 Passkey & MfaEnrolled; PATCH {id}/ {name}; DELETE {id}/ → 204. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly date_created: string;
  readonly date_last_used: string | null;
  /** Kept by a service that copies it to several devices. */
  readonly synced: boolean;
}

/** POST authentication/mfa/recovery-codes/ : the old ones are void. POST authentication/mfa/totp/disable/ answers {}. */
export interface RecoveryCodes {
  readonly recovery_codes: readonly string[];
}

/** POST authentication/otp/verify/ {code} or {type: 'passkey', response}: 200 {ok: '1'}; 400 with {error, msg}. */
export interface OtpVerified {
  readonly ok: '1';
}

/** POST authentication/auth/ : 201 when in; 200 with `error` when something more is wanted; 400 otherwise. The cookie `sallyport_signin` carries the state. */
export interface TokenAnswer {
  readonly token: string;
  readonly keyword: 'Bearer';
  readonly date_expired: string;
  readonly user: Profile;
}

/** POST authentication/auth/ and GET authentication/login-confirm-ticket/status/ while reviewers confirm a sign-in, with status 200; {msg: 'ok'} after an approval. */
export interface TokenReview {
  readonly error: 'login_confirm_wait' | 'login_confirm_error';
  readonly msg: string;
  readonly data: { readonly ticket_id: string };
}

/** The server that checks the password asks a question: the answer to POST authentication/auth/, or to the answer of an earlier question, with status 200. */
export interface TokenChallenge {
  readonly error: 'challenge_required';
  readonly msg: string;
  /** The question in the words of the server, and where {answer} goes. That is answered like POST authentication/auth/ . */
  readonly data: { readonly message: string; readonly url: string };
}

export interface TokenPending {
  readonly error: 'mfa_required';
  readonly msg: string;
  readonly data: { readonly choices: readonly string[]; readonly url: string };
}

/**
 * GET users/profile/sign-ins/ and, for administrators, users/users/{id}/sign-ins/ (bare arrays, newest use first).
 * DELETE {list}{id}/ ends one (204); DELETE on the list ends all but the caller's own (204).
 */
export interface SignInRow {
  readonly id: string;
  readonly kind: 'browser' | 'bearer' | 'ssh';
  readonly remote_addr: string;
  readonly user_agent: string;
  /** In words, such as `Firefox on Linux`; blank when unknown. */
  readonly device: string;
  readonly date_created: string;
  readonly date_used: string;
  readonly date_expired: string;
  readonly current: boolean;
}

/**
 * GET users/users/{id}/access-keys/ for administrators of the account (a bare array, newest first; never a secret).
 * DELETE {list}{key}/ revokes one, DELETE on the list revokes all (204); what a key had opened ends with it.
 */
export interface AccessKeyRow {
  readonly id: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly date_created: string;
  readonly date_expired: string | null;
  readonly date_last_used: string | null;
  /** Where it was used last; blank when it never was. */
  readonly remote_addr: string;
}

/** What POST users/users/invite/ answers, by account: `invited` people are asked first. The answer repeats what was typed about them and nothing else. */
export interface Invited {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly state: 'member' | 'invited';
}

/**
 * GET users/profile/invitations/ (the own ones; POST {list}{id}/accept/ accepts, DELETE {list}{id}/ declines) and, for administrators,
 * GET users/users/invitations/ (of the current organization; DELETE {list}{id}/ withdraws).
 */
export interface Invitation {
  readonly id: string;
  /** What the inviter typed: a username or an e-mail address. */
  readonly account: string;
  readonly organization: string;
  readonly invited_by: string;
  /** `expired`: nobody answered in time; the inviter sees it for two weeks more, and may invite again. */
  readonly state: 'open' | 'expired';
  readonly date_created: string;
  readonly date_expired: string;
}

/** GET users/profile/login-logs/?limit=&offset= (always a Page): the own attempts to sign in, newest first. */
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
 * POST /core/auth/password/forgot/ {email}: 200 {msg}, the same for every address.
 * The mail leads to /core/auth/password/reset/#token=… ; POST /core/auth/password/reset/ {token, new_password}: 200 {}, 400 `reset_link_invalid` or problems of new_password.
 * Administrators: PATCH users/users/{id}/password/reset/ and users/users/{id}/pubkey/reset/ (answer the user; 400 `mail_not_configured`),
 * GET or POST users/users/{id}/otp/reset/ → {msg: 'success'} (401 for oneself).
 * Own key: GET users/profile/public-key/ → PublicKeyInfo; PUT {public_key} → PublicKeyInfo;
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

/** Sources whose accounts have no password that we could ask for: people prove themselves at a page of the provider. */
export const PROVIDER_SOURCES: readonly string[] = ['openid', 'saml', 'cas'];

/** How the users sign in whom an identity provider keeps here by SCIM. */
export const SCIM_SOURCES = [
  { value: 'saml', label: { en: 'SAML', zh: 'SAML' } },
  { value: 'openid', label: { en: 'OpenID', zh: 'OpenID' } },
  { value: 'cas', label: { en: 'CAS', zh: 'CAS' } },
  { value: 'radius', label: { en: 'Radius', zh: 'Radius' } },
] as const;
export type ScimSource = (typeof SCIM_SOURCES)[number]['value'];

/** GET settings/providers/accounts/?source=: an identity provider to which accounts are linked. DELETE with its `issuer` unlinks them. */
export interface ProviderLink {
  readonly issuer: string;
  readonly accounts: number;
  readonly date_used: string;
}

/** Who an account is at an identity provider. */
export interface LinkedIdentity {
  readonly source: 'openid' | 'saml' | 'cas';
  readonly issuer: string;
  readonly subject: string;
  readonly date_created: string;
  readonly date_used: string;
  /** Without it the account has no way to sign in. */
  readonly is_last_way: boolean;
}

/**
 * GET users/profile/identities/ and users/users/{id}/identities/: the identities, and what an administrator ends with one of them.
 * POST {list}end/ {source, issuer} ends one: of the own account with `password` where that confirms; of somebody else with `way` ("link" or "password" with `password`),
 * which the last way to sign in needs: 400 `identity_last_way`.
 */
export interface LinkedIdentities {
  readonly identities: readonly LinkedIdentity[];
  readonly sign_ins: number;
  readonly access_keys: number;
  readonly sessions: number;
}

/** GET settings/scim/tokens/ (a bare array, newest first; never a secret); DELETE {list}{id}/ revokes. */
export interface ScimToken {
  readonly id: string;
  readonly name: string;
  readonly source: ScimSource;
  readonly created_by: string;
  readonly date_created: string;
  readonly date_expired: string;
  readonly date_last_used: string | null;
  /** Where it was used last; blank before that. */
  readonly last_addr: string;
  readonly is_expired: boolean;
}

/** POST settings/scim/tokens/: the token itself is in no other answer. */
export interface ScimTokenCreated extends ScimToken {
  readonly token: string;
}
