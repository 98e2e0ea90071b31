import {
  type AccessCondition,
  actionNames,
  type Circumstances,
  type ConditionTerms,
  conditionSentence,
  failuresOf,
  type Language,
  type LocalText,
  nextConditionChange,
  say,
  timeFailuresOf,
} from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import { connects, type GrantedAccount, type RuleGrant } from './accounts.ts';

/** An account under given circumstances. */
export interface Judged {
  /** Undefined if no permission holds. */
  readonly account: GrantedAccount | undefined;
  /** The reasons of the permissions that do not hold. */
  readonly refusals: readonly LocalText[];
  /** Time (ms) at which another set of permissions may hold, or infinity. */
  readonly changesAt: number;
}

const holds = ({ terms }: RuleGrant, circumstances: Circumstances) =>
  terms === null || failuresOf(terms, circumstances).length === 0;

const changeOf = ({ terms, until }: RuleGrant, now: number) =>
  Math.min(
    new Date(until).getTime(),
    terms ? nextConditionChange(terms, now) : Number.POSITIVE_INFINITY,
  );

/** Successive permissions that `endOf` follows. Sessions are checked again at each end. */
const MOST_SPANS = 20;

/** Returns the time (ms) at which none of the permissions holds any more. */
function endOf(grants: readonly RuleGrant[], circumstances: Circumstances): number {
  let end = circumstances.now;
  for (let span = 0; span < MOST_SPANS && Number.isFinite(end); span++) {
    const now = end;
    const held = grants.filter(
      (grant) => new Date(grant.until).getTime() > now && holds(grant, { ...circumstances, now }),
    );
    if (held.length === 0) break;
    end = Math.max(...held.map((grant) => changeOf(grant, now)));
  }
  return end;
}

/** Latest date of JavaScript. */
const NEVER = 8_640_000_000_000_000;

/** Reduces a granted account to the permissions whose conditions hold. */
export function judge(account: GrantedAccount | undefined, circumstances: Circumstances): Judged {
  if (!account?.grants) return { account, refusals: [], changesAt: Number.POSITIVE_INFINITY };
  const { grants } = account;
  const held = grants.filter((grant) => holds(grant, circumstances));
  const changesAt = Math.min(...grants.map((grant) => changeOf(grant, circumstances.now)));
  const mask = held.reduce((bits, grant) => bits | grant.mask, 0);
  return {
    account:
      held.length === 0
        ? undefined
        : {
            ...account,
            mask,
            actions: actionNames(mask),
            rules: held.map(({ rule }) => rule),
            validUntil: new Date(Math.min(endOf(grants.filter(connects), circumstances), NEVER)),
          },
    refusals: grants.flatMap(({ terms }) => (terms ? failuresOf(terms, circumstances) : [])),
    changesAt,
  };
}

/**
 * Returns why no permission of an account holds, by the failures of each condition; null if one
 * holds.
 */
export function notNow(
  { grants }: GrantedAccount,
  failures: (terms: ConditionTerms) => readonly LocalText[],
): LocalText | null {
  const reasons = grants?.map(({ terms }) => (terms ? failures(terms) : [])) ?? [[]];
  return reasons.some(({ length }) => length === 0) ? null : joinReasons(reasons.flat());
}

/** A moment, with the address of the client or null. */
export interface Moment {
  readonly now: number;
  readonly address: string | null;
}

/** Describes the condition of a permission, and if it refuses a moment. Default: now. */
export function describeCondition(
  terms: ConditionTerms,
  language: Language,
  { now, address }: Moment = { now: databaseClock.now(), address: null },
): AccessCondition {
  return {
    name: String(terms.name ?? ''),
    sentence: say(conditionSentence(terms), language),
    not_now: say(joinReasons(timeFailuresOf(terms, now, address)), language),
  };
}

/** Joins reasons without repeating one. */
export function joinReasons(reasons: readonly LocalText[]): LocalText {
  const unique = [...new Map(reasons.map((reason) => [reason.en, reason])).values()];
  return {
    en: unique.map(({ en }) => en).join('; '),
    zh: unique.map(({ zh }) => zh).join('；'),
  };
}

/** Returns true if a part of some condition needs the time of the last second factor. */
export const needsFactorTime = (account: GrantedAccount | undefined): boolean =>
  account?.grants?.some(({ terms }) => terms?.factor_excluded && terms.factor_minutes > 0) ?? false;
