/** GET perms/users/administrators/: the names of people who can grant access in the current organization; no addresses, and no ids. */
export interface WhomToAsk {
  readonly names: readonly string[];
  /** How many there are, those included who are not named. */
  readonly count: number;
  /** Whether users may ask by a request for access. */
  readonly requests: boolean;
}
