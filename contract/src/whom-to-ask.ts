/**
 * GET perms/users/administrators/: names of users who can grant access in the current organization,
 * without addresses and ids.
 */
export interface WhomToAsk {
  readonly names: readonly string[];
  /** The total, with unnamed ones. */
  readonly count: number;
  /** True if users may send requests for access. */
  readonly requests: boolean;
}
