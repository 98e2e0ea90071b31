import {
  demandsFactor,
  PASSWORD_REMINDER_DAYS,
  type PasswordEnd,
  type PasswordReason,
  type SecondFactor,
} from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { factorsOf, hasFactor } from '../mfa/second-factors.ts';
import { signInCircumstances } from '../sign-in-rules/store.ts';
import type { SignInKind } from '../sign-in-sessions/store.ts';
import type { Demands } from './machine.ts';
import { noticeFor } from './notice.ts';
import type { SignInAccount } from './pending.ts';
import type { Review, Reviews } from './reviews.ts';
import type { PendingStep, SignInOptions, Visitor } from './types.ts';

interface DemandServices extends Pick<SignInOptions, 'settings' | 'factors'> {
  readonly reviews: () => Reviews;
}

/** Kind and address of a sign-in. */
interface Place {
  readonly kind: SignInKind;
  readonly visitor: Pick<Visitor, 'remoteAddress'>;
}

interface StepData {
  readonly step: PendingStep['step'];
  readonly account: SignInAccount;
  readonly kind: SignInKind;
  readonly ticket: string;
  readonly factors: readonly SecondFactor[];
  readonly review?: Review | undefined;
}

/** Reads what the account and the settings currently require of a sign-in. */
export function createDemands({ settings, factors, reviews }: DemandServices) {
  /**
   * Returns why the password has to be changed before the sign-in continues. A password that an
   * administrator set only matters in a browser, where a page can ask for another.
   */
  const passwordReason = (account: SignInAccount, kind: SignInKind): PasswordReason | undefined => {
    if (account.source !== 'local') return undefined;
    if (account.password_age_days > settings.get('SECURITY_PASSWORD_EXPIRATION_TIME'))
      return 'expired';
    return kind === 'browser' &&
      account.password_assigned &&
      settings.get('SECURITY_CHANGE_ASSIGNED_PASSWORD')
      ? 'assigned'
      : undefined;
  };

  return {
    passwordReason,
    /** Returns the end of a local password in its last days. */
    localPasswordEnd({ source, password_age_days: age }: SignInAccount): PasswordEnd | undefined {
      const days = settings.get('SECURITY_PASSWORD_EXPIRATION_TIME') - age;
      return source === 'local' && days <= PASSWORD_REMINDER_DAYS
        ? { daysLeft: Math.max(0, days), signInsLeft: null }
        : undefined;
    },
    /**
     * Returns the current demands, and the factors that the account can prove. Reads those that
     * were not read with the account.
     */
    async of(
      account: SignInAccount,
      { kind, visitor }: Place,
      on: Db | Tx,
    ): Promise<{ readonly demands: Demands; readonly offered: SecondFactor[] }> {
      const [summary, confirmation] = await Promise.all([
        account.factors ?? factors.summary(account.id, on),
        reviews().areDemanded(account.id, on),
      ]);
      return {
        demands: {
          passwordExpired: passwordReason(account, kind) !== undefined,
          secondFactor:
            factors.isDemanded(account.mfa_level) ||
            demandsFactor(
              account.sign_in_rules ?? [],
              signInCircumstances(visitor.remoteAddress, kind),
            ),
          hasFactor: hasFactor(summary),
          acceptance: noticeFor(account, settings) !== undefined,
          confirmation,
        },
        offered: factorsOf(summary),
      };
    },
    /** Describes the step of a pending sign-in for its client. */
    describe({ step, account, kind, ticket, factors: offered, review }: StepData): PendingStep {
      const reason = step === 'password_expired' ? passwordReason(account, kind) : undefined;
      const notice = step === 'notice' ? noticeFor(account, settings) : undefined;
      return {
        step,
        ticket,
        username: account.username,
        factors: offered,
        ...(reason && { reason }),
        ...(notice && { notice }),
        ...(review && { review }),
      };
    },
  };
}

export type DemandReader = ReturnType<typeof createDemands>;
