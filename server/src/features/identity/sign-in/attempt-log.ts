import type { LocalText } from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { Rejected } from '../../../platform/errors.ts';
import { type LoginAttempt, writeLoginLog } from '../../audits/index.ts';
import { joinReasons } from '../../perms/index.ts';
import type { Visitor } from './types.ts';

type SignInRefusal =
  | 'session_empty'
  | 'user_inactive'
  | 'password_expired'
  | 'mfa_unset'
  | 'login_confirm_nobody'
  | 'challenge_too_often'
  | 'notice_unaccepted'
  | 'notice_changed'
  | 'source_locked'
  | 'source_must_change'
  | 'source_proof_old';

/** Creates the error with which a sign-in ends; clients read its code as `error`. */
export const refuse = (code: SignInRefusal) => new Rejected(code, {}, { error: code });

/** Creates the error of a sign-in that its rules refuse, for a user who proved a first factor. */
export const refuseByRules = (reasons: readonly LocalText[]) =>
  new Rejected(
    'sign_in_condition',
    { reason: joinReasons(reasons) },
    { error: 'sign_in_condition' },
  );

export interface AttemptEntry {
  readonly username: string;
  readonly userId: string | undefined;
  /** Reason of the failure; blank for a complete sign-in. */
  readonly reason: LoginAttempt['reason'];
  /** Default: 2, unknown. */
  readonly mfa?: LoginAttempt['mfa'];
}

/** Writes a sign-in attempt of a visitor into the login log. */
export function logAttempt(
  on: Db | Tx,
  { type, remoteAddress, userAgent }: Visitor,
  { username, userId, reason, mfa = 2 }: AttemptEntry,
): Promise<void> {
  return writeLoginLog(on, { username, userId, type, remoteAddress, userAgent, mfa, reason });
}
