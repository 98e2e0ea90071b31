/**
 * Above this number of objects, users or assets, the console asks to type the name or the number
 * before it acts.
 */
export const MANY_CONCERNED = 50;

/** A count with the first few names. */
export interface CountedNames {
  readonly count: number;
  readonly names: readonly string[];
}

/** Ways in which the access of users changes. */
export const ACCESS_CHANGES = [
  'gained',
  'lost',
  'more_actions',
  'fewer_actions',
  'longer',
  'shorter',
] as const;
export type AccessChangeKind = (typeof ACCESS_CHANGES)[number];

/**
 * One kind of change over all grants. Access that another permission also grants does not change.
 */
export interface AccessChange {
  readonly kind: AccessChangeKind;
  /** Kind of `assets`: servers, or applications of a kind. */
  readonly target: 'asset' | 'remote_app' | 'database_app';
  readonly people: CountedNames;
  readonly assets: CountedNames;
  readonly accounts: CountedNames;
  /** Number of accesses, each of one user to one asset as one system user. */
  readonly accesses: number;
  /** Added or removed actions; empty for other kinds of change. */
  readonly actions: readonly string[];
}

/** Returns true if a change removes access. */
export function concernsMany({ people, assets }: Pick<AccessChange, 'people' | 'assets'>): boolean {
  return people.count > MANY_CONCERNED || assets.count > MANY_CONCERNED;
}

/** Returns true if a change takes access away. */
export function takesAway({ kind }: Pick<AccessChange, 'kind'>): boolean {
  return kind === 'lost' || kind === 'fewer_actions' || kind === 'shorter';
}
