/** More than so many objects, people or assets are many: the console asks to type the name, or the number, before it acts. */
export const MANY_CONCERNED = 50;

/** How many there are, with the names of the first few. */
export interface CountedNames {
  readonly count: number;
  readonly names: readonly string[];
}

/** How the access of users changes: they get it, lose it, or keep it with other actions or another end. */
export const ACCESS_CHANGES = [
  'gained',
  'lost',
  'more_actions',
  'fewer_actions',
  'longer',
  'shorter',
] as const;
export type AccessChangeKind = (typeof ACCESS_CHANGES)[number];

/** One way in which access changes, over all that is granted: what another permission grants as well does not change. */
export interface AccessChange {
  readonly kind: AccessChangeKind;
  /** What `assets` are: servers, or applications of a kind. */
  readonly target: 'asset' | 'remote_app' | 'database_app';
  readonly people: CountedNames;
  readonly assets: CountedNames;
  readonly accounts: CountedNames;
  /** How many accesses, each of one user to one asset as one system user. */
  readonly accesses: number;
  /** The actions that come or go; empty for changes of another kind. */
  readonly actions: readonly string[];
}

/** Whether a change concerns so many that the console asks again. */
export function concernsMany({ people, assets }: Pick<AccessChange, 'people' | 'assets'>): boolean {
  return people.count > MANY_CONCERNED || assets.count > MANY_CONCERNED;
}

/** Whether a change takes something from somebody. */
export function takesAway({ kind }: Pick<AccessChange, 'kind'>): boolean {
  return kind === 'lost' || kind === 'fewer_actions' || kind === 'shorter';
}
