import type { MfaState, SecondFactor } from '@sallyport/contract';

/** How somebody shows that it is they who change what protects their account. */
export type Confirming = 'nothing' | 'password' | 'factor';

/** What is asked before a change: a second factor where there is one, unless it was proved lately; the password otherwise. */
export function confirmingOf(state: Pick<MfaState, 'totp' | 'passkeys' | 'verified'>, hasPassword: boolean): Confirming {
  if (state.totp || state.passkeys > 0) return state.verified ? 'nothing' : 'factor';
  return hasPassword ? 'password' : 'nothing';
}

/** What an account can prove, in the order to offer. */
export function factorsOf(state: Pick<MfaState, 'totp' | 'passkeys' | 'recovery_codes_left'>): SecondFactor[] {
  return [
    ...(state.totp ? (['totp'] as const) : []),
    ...(state.passkeys > 0 ? (['passkey'] as const) : []),
    ...(state.recovery_codes_left > 0 ? (['recovery'] as const) : []),
  ];
}
