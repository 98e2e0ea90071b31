import type { PolicyAnswer } from './password-policy.ts';
import { RESULT, type RefusalReason, resultCodeOf } from './trace.ts';

/**
 * Reasons that Active Directory and Samba write into the text of result 49, as a hexadecimal number
 * of Windows. They check the password before all but 775 (measured with Samba 4.17.12).
 */
const WINDOWS_REASONS: Readonly<Record<string, RefusalReason>> = {
  '525': 'wrong_password',
  '52e': 'wrong_password',
  '52f': 'refused',
  '530': 'wrong_time',
  '531': 'wrong_place',
  '532': 'password_expired',
  '533': 'disabled',
  '568': 'refused',
  '701': 'expired',
  '773': 'must_change',
  '775': 'locked',
};
const WINDOWS_DATA = /AcceptSecurityContext error, data ([0-9a-f]{1,8})\b/i;

/** Texts of 389 Directory Server (measured with 2.3.1), by result code. */
const TEXTS: readonly (readonly [code: number, text: RegExp, reason: RefusalReason])[] = [
  [RESULT.unwillingToPerform, /\binactivated\b/i, 'disabled'],
  [RESULT.constraintViolation, /\binactivity limit\b/i, 'disabled'],
  [RESULT.constraintViolation, /\bretry limit\b/i, 'locked'],
  [RESULT.invalidCredentials, /\bpassword expired\b/i, 'password_expired'],
];

/** Results that say nothing about the name or the password: the server cannot answer now. */
const UNAVAILABLE: readonly number[] = [
  RESULT.operationsError,
  RESULT.timeLimitExceeded,
  RESULT.adminLimitExceeded,
  RESULT.busy,
  RESULT.unavailable,
  RESULT.other,
];
/** Results of a wrong name or password (RFC 4511 §4.1.9 and §4.2.2). */
const WRONG: readonly number[] = [
  RESULT.noSuchObject,
  RESULT.inappropriateAuthentication,
  RESULT.invalidCredentials,
];

/**
 * Returns why a directory refused the password of a person; undefined if it could not check it. The
 * text is more exact than the control: 389 Directory Server reports an inactivated entry as locked.
 */
export function readRefusal(error: unknown, policy: PolicyAnswer): RefusalReason | undefined {
  const code = resultCodeOf(error);
  if (code === undefined || UNAVAILABLE.includes(code)) return undefined;
  const text = error instanceof Error ? error.message : '';
  const known = TEXTS.find(([number, pattern]) => number === code && pattern.test(text));
  if (known) return known[2];
  if (policy.error) return policy.error;
  const data = code === RESULT.invalidCredentials ? WINDOWS_DATA.exec(text)?.[1] : undefined;
  if (data !== undefined) return WINDOWS_REASONS[data.toLowerCase()] ?? 'refused';
  return WRONG.includes(code) ? 'wrong_password' : 'refused';
}
