import { type MfaState, parseDatetime, type SecondFactor } from '@sallyport/contract';

/** What proves that the owner of the account makes a change. */
export type Confirming = 'nothing' | 'password' | 'factor';

/** Who asks: whether the account has a password here, for how many seconds a proof is good (SECURITY_MFA_VERIFY_TTL), and the time. */
export interface Asking {
  readonly hasPassword: boolean;
  readonly seconds: number;
  readonly now: number;
}

/** What is asked before a change: a second factor where there is one, unless it was proved lately; the password otherwise. */
export function confirmingOf(
  state: Pick<MfaState, 'totp' | 'passkeys' | 'date_verified'>,
  { hasPassword, seconds, now }: Asking,
): Confirming {
  if (!state.totp && state.passkeys === 0) return hasPassword ? 'password' : 'nothing';
  const proved = parseDatetime(state.date_verified ?? '')?.getTime();
  return proved !== undefined && now - proved < seconds * 1_000 ? 'nothing' : 'factor';
}

/** What an account can prove, in the order to offer. */
export function factorsOf(
  state: Pick<MfaState, 'totp' | 'passkeys' | 'recovery_codes_left'>,
): SecondFactor[] {
  return [
    ...(state.totp ? (['totp'] as const) : []),
    ...(state.passkeys > 0 ? (['passkey'] as const) : []),
    ...(state.recovery_codes_left > 0 ? (['recovery'] as const) : []),
  ];
}
