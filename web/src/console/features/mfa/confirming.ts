import { type MfaState, parseDatetime, type SecondFactor } from '@sallyport/contract';

/** The proof of identity that a change requires. */
export type Confirming = 'nothing' | 'password' | 'factor';

/**
 * `hasPassword`: the account has a local password. `seconds`: validity of a proof
 * (SECURITY_MFA_VERIFY_TTL). `now`: the current time.
 */
export interface Asking {
  readonly hasPassword: boolean;
  readonly seconds: number;
  readonly now: number;
}

/**
 * Returns the proof that a change requires: a second factor if one exists, unless its last proof is
 * still valid; else the password.
 */
export function confirmingOf(
  state: Pick<MfaState, 'totp' | 'passkeys' | 'date_verified'>,
  { hasPassword, seconds, now }: Asking,
): Confirming {
  if (!state.totp && state.passkeys === 0) return hasPassword ? 'password' : 'nothing';
  const proved = parseDatetime(state.date_verified ?? '')?.getTime();
  return proved !== undefined && now - proved < seconds * 1_000 ? 'nothing' : 'factor';
}

/** The factors that an account can prove, in the order to offer them. */
export function factorsOf(
  state: Pick<MfaState, 'totp' | 'passkeys' | 'recovery_codes_left'>,
): SecondFactor[] {
  return [
    ...(state.totp ? (['totp'] as const) : []),
    ...(state.passkeys > 0 ? (['passkey'] as const) : []),
    ...(state.recovery_codes_left > 0 ? (['recovery'] as const) : []),
  ];
}
