import type { LocalText } from '../kit/text.ts';
import { failuresOf, nextConditionChange } from './judge.ts';
import type { Circumstances, ConditionTerms } from './terms.ts';

/** Groups of accounts by role, with their bits. */
export const SIGN_IN_ROLES = [
  { value: 'admin', mask: 1, label: { en: 'Administrators', zh: '管理员' } },
  { value: 'auditor', mask: 2, label: { en: 'Auditors', zh: '审计员' } },
  { value: 'user', mask: 4, label: { en: 'Users', zh: '普通用户' } },
  {
    value: 'org_admin',
    mask: 8,
    label: { en: 'Administrators of an organization', zh: '组织管理员' },
  },
  {
    value: 'org_auditor',
    mask: 16,
    label: { en: 'Auditors of an organization', zh: '组织审计员' },
  },
] as const;

/** A sign-in rule as the database returns it. */
export interface SignInRule
  extends Omit<ConditionTerms, 'networks' | 'factor_minutes' | 'factor_excluded'> {
  readonly networks: readonly string[];
  /** Demand if the condition does not hold. */
  readonly otherwise: 'refuse' | 'second_factor';
}

/** A sign-in rule of an account, in words. */
export interface SignInRuleSummary extends Pick<SignInRule, 'name' | 'otherwise'> {
  /** Blank if the condition always holds. */
  readonly sentence: string;
  /** The failing hours or period; blank if they include now. */
  readonly not_now: string;
}

/** Returns the condition of a sign-in rule. */
export const termsOfSignIn = ({ networks, ...rule }: SignInRule): ConditionTerms => ({
  ...rule,
  networks: networks.length > 0 ? [{ name: '', networks }] : [],
  factor_minutes: 0,
  factor_excluded: false,
});

/** Returns the failures of one rule. Empty if its condition holds. */
const failures = (rule: SignInRule, circumstances: Circumstances) =>
  failuresOf(termsOfSignIn(rule), circumstances);

/** Returns true if a rule demands a second factor now. */
export const demandsFactor = (
  rules: readonly SignInRule[],
  circumstances: Circumstances,
): boolean =>
  rules.some(
    (rule) => rule.otherwise === 'second_factor' && failures(rule, circumstances).length > 0,
  );

/**
 * Returns why the rules refuse a sign-in. Empty if each rule holds, or a second factor replaces it.
 */
export const signInRefusals = (
  rules: readonly SignInRule[],
  circumstances: Circumstances,
  hasFactor: boolean,
): readonly LocalText[] =>
  rules
    .filter(({ otherwise }) => otherwise !== 'second_factor' || !hasFactor)
    .flatMap((rule) => failures(rule, circumstances));

/** Successive changes that `signInEnd` follows. The caller checks again at each end. */
const MOST_SPANS = 20;

/** Returns the next time (ms) at which a rule may refuse an allowed sign-in, or infinity. */
export function signInEnd(
  rules: readonly SignInRule[],
  circumstances: Circumstances,
  hasFactor: boolean,
): number {
  let now = circumstances.now;
  for (let span = 0; span < MOST_SPANS && Number.isFinite(now); span++) {
    if (signInRefusals(rules, { ...circumstances, now }, hasFactor).length > 0) break;
    now = Math.min(
      Number.POSITIVE_INFINITY,
      ...rules.map((rule) => nextConditionChange(termsOfSignIn(rule), now)),
    );
  }
  return now;
}
