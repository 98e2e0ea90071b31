import type { CountedNames } from './consequences.ts';

/** Ways to offboard a user: disable the account, or delete it (in an organization: remove it). */
export const OFFBOARDING_WAYS = ['disable', 'remove'] as const;
export type OffboardingWay = (typeof OFFBOARDING_WAYS)[number];

/** Maximum characters of the reason. */
export const OFFBOARDING_REASON_MAX = 200;

/** A shared account on assets whose password the user may know. */
export interface SharedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  /** Its organization; empty: the current one. */
  readonly organization: string;
  /** Last use by the user; null if not recent. */
  readonly date_last: string | null;
}

/** Rights and sessions of an account that end when its user leaves. */
export interface OffboardingFacts {
  /** Null if the caller may not know. */
  readonly sign_ins: number | null;
  readonly access_keys: number | null;
  readonly public_key: boolean;
  readonly sessions: CountedNames;
  readonly groups: CountedNames;
  /** Permissions that name the user directly. */
  readonly permissions: CountedNames;
}

/** GET users/users/{id}/offboarding/: a preview. */
export interface OffboardingPlan {
  readonly user: string;
  readonly facts: OffboardingFacts;
  readonly accounts: readonly SharedAccount[];
  /** Reasons why the caller may not use a way; null if allowed. */
  readonly refusals: Readonly<Record<OffboardingWay, string | null>>;
  /** True if the caller may remove the SSH key. */
  readonly may_remove_key: boolean;
}

export interface OffboardingResult {
  readonly way: OffboardingWay;
  readonly done: OffboardingFacts;
  /** Accounts to rotate now. */
  readonly accounts: readonly SharedAccount[];
}
