import { signInRefusals } from '@sallyport/contract';
import type { Rejected } from '../../../platform/errors.ts';
import type { SettingsService } from '../../../platform/settings/service.ts';
import { signInCircumstances } from '../sign-in-rules/store.ts';
import type { SignInKind } from '../sign-in-sessions/store.ts';
import { isShut } from '../source-state/apply.ts';
import { refusalAtSource } from '../source-state/proof.ts';
import { type AttemptEntry, refuse, refuseByRules } from './attempt-log.ts';
import type { FirstFactor } from './machine.ts';
import type { SignInAccount } from './pending.ts';

interface Circumstances {
  readonly first: FirstFactor | undefined;
  readonly kind: SignInKind;
  readonly remoteAddress: string;
  readonly settings: Pick<SettingsService, 'get'>;
}

/** A refused sign-in: the error for the user, and the reason in the login log. */
export interface Refusal {
  readonly error: Rejected;
  readonly reason: AttemptEntry['reason'];
}

/** Returns why an account cannot sign in now; undefined if it can. */
export function refusalOfAccount(
  account: SignInAccount,
  { first, kind, remoteAddress, settings }: Circumstances,
): Refusal | undefined {
  if (!account.is_active || account.is_expired) {
    const isBySource = !account.is_active && isShut(account.source_state);
    const reason = isBySource ? 'source_shut' : 'user_inactive';
    return { error: refuse('user_inactive'), reason };
  }
  const atSource = first && refusalAtSource(account, first, settings);
  if (atSource) return { error: refuse(atSource), reason: atSource };
  // A second factor can still be proved: it is a demand.
  const circumstances = signInCircumstances(remoteAddress, kind);
  const reasons = signInRefusals(account.sign_in_rules ?? [], circumstances, true);
  if (reasons.length === 0) return undefined;
  return { error: refuseByRules(reasons), reason: 'sign_in_condition' };
}
