import type { CountedNames } from './access-change.ts';

/** How a user leaves: the account stays and is disabled, or it is deleted (in an organization: removed from it). */
export const OFFBOARDING_WAYS = ['disable', 'remove'] as const;
export type OffboardingWay = (typeof OFFBOARDING_WAYS)[number];

/** The most letters of the reason. */
export const OFFBOARDING_REASON_MAX = 200;

/** An account on assets that the user shared with others, and whose password the user may know. */
export interface SharedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  /** The organization that it belongs to; empty: the current one. */
  readonly organization: string;
  /** When the user last worked with it; null: not lately. */
  readonly date_last: string | null;
}

/** What an account has that ends, or can end, when its user leaves. */
export interface OffboardingFacts {
  /** Null: the caller may not know. */
  readonly sign_ins: number | null;
  readonly access_keys: number | null;
  readonly public_key: boolean;
  readonly sessions: CountedNames;
  readonly groups: CountedNames;
  /** Permissions that name the user, not those that name a group. */
  readonly permissions: CountedNames;
}

/** GET users/users/{id}/offboarding/: what follows when a user leaves. */
export interface OffboardingPlan {
  readonly user: string;
  readonly facts: OffboardingFacts;
  readonly accounts: readonly SharedAccount[];
  /** Why a way is not open to the caller; null: it is. */
  readonly refusals: Readonly<Record<OffboardingWay, string | null>>;
  /** Whether the caller may remove the key for SSH. */
  readonly may_remove_key: boolean;
}

/** POST users/users/{id}/offboarding/: what was done. */
export interface OffboardingResult {
  readonly way: OffboardingWay;
  readonly done: OffboardingFacts;
  /** To be rotated now. */
  readonly accounts: readonly SharedAccount[];
}
