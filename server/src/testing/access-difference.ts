import { ACTIONS, type AccessChangeKind, CHANGE_DATA } from '@sallyport/contract';
import type { GrantModel } from './grant-model.ts';

/** Numbers of users, assets, system users, accesses and actions by kind of difference. */
export type CountedDifference = Partial<
  Record<
    AccessChangeKind,
    readonly [people: number, assets: number, accounts: number, accesses: number, mask: number]
  >
>;

/** Bits with an own name. */
const KNOWN_BITS = ACTIONS.filter(({ mask }) => (mask & (mask - 1)) === 0).reduce(
  (bits, { mask }) => bits | mask,
  CHANGE_DATA,
);

/** Compares two moments by checking every user on every asset; applications count as assets. */
export function naiveDifference(
  world: { readonly users: readonly string[]; readonly assets: readonly string[] },
  before: GrantModel,
  after: GrantModel,
): CountedDifference {
  const changes = new Map<
    AccessChangeKind,
    {
      people: Set<string>;
      assets: Set<string>;
      accounts: Set<string>;
      accesses: number;
      mask: number;
    }
  >();
  const note = (kind: AccessChangeKind, user: string, asset: string, account: string, mask = 0) => {
    const one = changes.get(kind) ?? {
      people: new Set(),
      assets: new Set(),
      accounts: new Set(),
      accesses: 0,
      mask: 0,
    };
    changes.set(kind, one);
    one.people.add(user);
    one.assets.add(asset);
    one.accounts.add(account);
    one.accesses += 1;
    one.mask |= mask;
  };
  for (const user of world.users) {
    for (const asset of world.assets) {
      const accesses = (model: GrantModel) =>
        new Map(
          model
            .accountsOf(user, asset)
            .map(({ id, mask, rules }) => [id, { mask, until: model.untilOf(rules) }]),
        );
      const [was, is] = [accesses(before), accesses(after)];
      for (const account of new Set([...was.keys(), ...is.keys()])) {
        const [old, fresh] = [was.get(account), is.get(account)];
        if (!old) note('gained', user, asset, account);
        else if (!fresh) note('lost', user, asset, account);
        else {
          const [more, fewer] = [
            fresh.mask & ~old.mask & KNOWN_BITS,
            old.mask & ~fresh.mask & KNOWN_BITS,
          ];
          if (more) note('more_actions', user, asset, account, more);
          if (fewer) note('fewer_actions', user, asset, account, fewer);
          if (fresh.until > old.until) note('longer', user, asset, account);
          if (fresh.until < old.until) note('shorter', user, asset, account);
        }
      }
    }
  }
  return Object.fromEntries(
    [...changes].map(([kind, { people, assets, accounts, accesses, mask }]) => [
      kind,
      [people.size, assets.size, accounts.size, accesses, mask],
    ]),
  );
}
