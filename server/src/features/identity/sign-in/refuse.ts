import { Rejected } from '../../../platform/errors.ts';

type SignInRefusal =
  | 'session_empty'
  | 'user_inactive'
  | 'password_expired'
  | 'mfa_unset'
  | 'login_confirm_nobody'
  | 'challenge_too_often';

/** Creates the error with which a sign-in ends; clients read its code as `error`. */
export const refuse = (code: SignInRefusal) => new Rejected(code, {}, { error: code });
