import type { Profile } from './api.ts';

/**
 * The second address of the console. Links from outside the console lead here: a proxy may show
 * another console at `/ui/`.
 */
export const SECOND_CONSOLE = '/core/console';

/**
 * Sign-in, second factors and passkeys. Paths are
 * below `/api/v1/` unless they start with a slash. Field problems are 400 with a map by field.
 */

/** The state of an incomplete sign-in. */
export type SignInState =
  | 'password'
  | 'challenge'
  | 'password_expired'
  | 'mfa_unset'
  | 'mfa_required'
  | 'notice'
  | 'login_confirm';

/** Reason for a forced password change: the password expired, or an administrator chose it. */
export type PasswordReason = 'expired' | 'assigned';

/** Proofs of a second factor. `recovery` is a recovery code. */
export type SecondFactor = 'totp' | 'passkey' | 'recovery';

/**
 * The 200 answer of every step of a browser's sign-in:
 *
 * - POST /core/auth/login/ {username, password, next?}
 * - state challenge: POST /core/auth/login/challenge/ {answer}
 * - state password_expired: POST /core/auth/login/password/ {new_password, new_password_again}
 * - state mfa_required: POST /core/auth/login/mfa/ SecondFactorProof
 * - state notice: POST /core/auth/login/notice/ {version}
 * - state login_confirm: POST /core/auth/login/confirm/
 * - state mfa_unset: POST /core/auth/login/enrol/totp/confirm/ {code}
 * - state mfa_unset: POST /core/auth/login/enrol/passkey/finish/ {name, response}
 * - first step without a password: POST authentication/passkey-login/finish/ {response, next?}
 *
 * Errors: 400 `session_empty` (start again), `mfa_failed`, `block_login`, `user_inactive`; 429 with
 * Retry-After.
 */
export type SignInAnswer = SignedInAnswer | SignInPending;

export interface SignedInAnswer {
  readonly next: string;
  /** Shown once, after enrolling during sign-in, before the console opens `next`. */
  readonly recovery_codes?: readonly string[];
}

/**
 * GET /core/auth/login/state/ returns this too, with state `password` if no sign-in has begun. POST
 * /core/auth/login/cancel/ returns {} and discards the sign-in.
 */
export interface SignInPending {
  readonly state: SignInState;
  /** Name of the account with the correct password; empty in state `password`. */
  readonly username: string;
  /** In state mfa_required: the factors of this account. */
  readonly factors: readonly SecondFactor[];
  /** In state challenge: the question, as sent by the server that checks the password. */
  readonly message?: string;
  readonly reason?: PasswordReason;
  /** In state notice: the text to accept. */
  readonly notice?: SignInNotice;
  /**
   * In state login_confirm, after reviewers were asked. `rejected` and `closed` end the sign-in;
   * after `approved` it continues with POST /core/auth/login/confirm/.
   */
  readonly review?: SignInReview;
  /** In login/state/: name of the user who is already signed in with this browser. */
  readonly signed_in?: string;
}

/** A text that users accept before their sign-in completes. */
export interface SignInNotice {
  readonly text: string;
  readonly version: string;
}

/** The reviewers' decision about a sign-in. */
export interface SignInReview {
  readonly ticket_id: string;
  readonly state: 'open' | 'approved' | 'rejected' | 'closed';
  /** Names of the reviewers. */
  readonly reviewers: readonly string[];
}

/**
 * POST /core/auth/login/mfa/ . The passkey's options come from POST /core/auth/login/mfa/passkey/
 * as {options}.
 */
export type SecondFactorProof =
  | { readonly type: 'totp' | 'recovery'; readonly code: string }
  | { readonly type: 'passkey'; readonly response: PasskeyMessage };

/** JSON of the Web Authentication API in the format of `@simplewebauthn/browser`. */
export type PasskeyMessage = Readonly<Record<string, unknown>>;

/**
 * Answer of every …/begin/ for passkeys: pass `options` to startRegistration or startAuthentication
 * as `optionsJSON`.
 *
 * POST authentication/passkeys/begin/ {password?}
 * POST /core/auth/login/enrol/passkey/begin/
 * POST /core/auth/login/mfa/passkey/
 * POST authentication/passkey-login/begin/ (public)
 * POST authentication/mfa/passkey/begin/ (a fresh proof while signed in)
 */
export interface PasskeyBegin {
  readonly options: PasskeyMessage;
}

/**
 * POST authentication/mfa/totp/begin/ {password?} and POST /core/auth/login/enrol/totp/begin/.
 * Valid for 10 minutes. The factor changes when POST authentication/mfa/totp/confirm/ {code}
 * returns MfaEnrolled.
 */
export interface TotpBegin {
  readonly secret: string;
  readonly uri: string;
  /** A complete `<svg>`; show it as an image with a data: address. */
  readonly qr_svg: string;
}

/**
 * Result of adding a factor. Contains codes if they were created with it, as for the first factor.
 */
export interface MfaEnrolled {
  readonly recovery_codes?: readonly string[];
}

/**
 * GET authentication/mfa/ . Changing existing factors requires `verified`; otherwise 403
 * `mfa_verify_required`, and the client calls POST authentication/otp/verify/. Without any factor,
 * the request needs {password} (400 on `password`).
 */
export interface MfaState {
  readonly level: 0 | 1 | 2;
  /** By level 2 or by the setting for all users: the last factor must stay. */
  readonly forced: boolean;
  readonly totp: boolean;
  readonly passkeys: number;
  readonly recovery_codes_left: number;
  /** True if this sign-in proved a second factor within SECURITY_MFA_VERIFY_TTL. */
  readonly verified: boolean;
  /** Time of the last proof, even an old one; null if this sign-in has none. */
  readonly date_verified: string | null;
}

/**
 * GET authentication/passkeys/ (bare array); POST passkeys/begin/, then passkeys/finish/ {name,
 * response} → 201 Passkey & MfaEnrolled; PATCH {id}/ {name}; DELETE {id}/ → 204.
 */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly date_created: string;
  readonly date_last_used: string | null;
  /** Stored by a service that copies it to several devices. */
  readonly synced: boolean;
}

/**
 * POST authentication/mfa/recovery-codes/ : invalidates the previous codes. POST
 * authentication/mfa/totp/disable/ returns {}.
 */
export interface RecoveryCodes {
  readonly recovery_codes: readonly string[];
}

/**
 * POST authentication/otp/verify/ {code} or {type: 'passkey', response}: 200 {ok: '1'}; 400 with
 * {error, msg}.
 */
export interface OtpVerified {
  readonly ok: '1';
}

/**
 * POST authentication/auth/ : 201 when signed in; 200 with `error` if a further step is needed; 400
 * otherwise. The cookie `sallyport_signin` carries the state.
 */
export interface TokenAnswer {
  readonly token: string;
  readonly keyword: 'Bearer';
  readonly date_expired: string;
  readonly user: Profile;
}

/**
 * POST authentication/auth/ and GET authentication/login-confirm-ticket/status/ while reviewers
 * decide, with status 200; {msg: 'ok'} after an approval.
 */
export interface TokenReview {
  readonly error: 'login_confirm_wait' | 'login_confirm_error';
  readonly msg: string;
  readonly data: { readonly ticket_id: string };
}

/**
 * A question of the server that checks the password: the answer to POST authentication/auth/, or to
 * an earlier reply, with status 200.
 */
export interface TokenChallenge {
  readonly error: 'challenge_required';
  readonly msg: string;
  /**
   * The server's question, and the address for {answer}, which answers like POST
   * authentication/auth/ .
   */
  readonly data: { readonly message: string; readonly url: string };
}

export interface TokenPending {
  readonly error: 'mfa_required';
  readonly msg: string;
  readonly data: { readonly choices: readonly string[]; readonly url: string };
}

/**
 * POST authentication/device/code/ {device, username?}: begins the sign-in of a program on another
 * device (RFC 8628, with JSON bodies).
 */
export interface DeviceCode {
  /** The secret of the device. */
  readonly device_code: string;
  /** The code that the user compares and confirms. */
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  /** Seconds. */
  readonly expires_in: number;
  /** Seconds between two requests for the token. */
  readonly interval: number;
}

/**
 * POST authentication/device/token/ {grant_type, device_code}: 200 after the confirmation, until
 * then 400 with `error`: authorization_pending, slow_down, access_denied, expired_token.
 */
export interface DeviceToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly date_expired: string;
  readonly username: string;
  readonly name: string;
}

/**
 * POST authentication/device/ssh-key/ {public_key}: the key opens one SSH connection of the device
 * until then, from this address.
 */
export interface DeviceSshKey {
  readonly date_expired: string;
  readonly remote_addr: string;
}

/**
 * POST authentication/device/find/ {user_code}: the device that waits with a code. POST
 * authentication/device/confirm/ {user_code, days, password?} and .../deny/ {user_code} answer 204.
 */
export interface WaitingDevice {
  readonly device: string;
  readonly remote_addr: string;
  readonly date_created: string;
  readonly date_expired: string;
  /** Maximum days that the device can stay signed in. */
  readonly max_days: number;
}

/** Page of the console on which users confirm devices. */
export const DEVICE_PAGE = `${SECOND_CONSOLE}/users/device`;

/** An address that failures of several names lock, of GET users/locked-addresses/ (bare array). */
export interface LockedAddress {
  /** An IPv4 address, or the /64 network of an IPv6 address. */
  readonly address: string;
  readonly failures: number;
  /** Number of names that were tried. */
  readonly names: number;
  /** The last failure. */
  readonly date_last: string;
}
