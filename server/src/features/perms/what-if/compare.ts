import { ACTIONS, type AccessChangeKind, CHANGE_DATA } from '@sallyport/contract';
import { type Bits, type Cover, noBits, type Weigh } from './cover.ts';

/** A permission before and after a change. `accounts` are indexes into a list of system users. */
export interface ComparedRule {
  readonly accounts: readonly number[];
  readonly mask: number;
  /** End, in seconds, which is the precision of forms. */
  readonly until: number;
  readonly before: Cover;
  /** The same object as `before` if it reaches the same atoms. */
  readonly after: Cover;
}

/** Users with the same permissions before, and the same after. */
export interface ComparedUsers {
  readonly ids: readonly string[];
  readonly before: readonly ComparedRule[];
  readonly after: readonly ComparedRule[];
}

/** Input of a comparison. Assets that no permission distinguishes form one atom. */
export interface Scene {
  readonly users: readonly ComparedUsers[];
  readonly atoms: number;
  readonly weigh: Weigh;
  /** Atoms on which each system user works. */
  readonly offered: readonly Bits[];
}

/**
 * One kind of difference: users, assets, system users, and the number of accesses (user, asset,
 * system user).
 */
export interface Difference {
  readonly users: string[];
  readonly assets: Bits;
  readonly accounts: Set<number>;
  accesses: number;
  mask: number;
}

export type Differences = ReadonlyMap<AccessChangeKind, Difference>;

/** Action bits that are not combinations. */
const ACTION_BITS = [
  ...ACTIONS.map(({ mask }) => mask).filter((mask) => (mask & (mask - 1)) === 0),
  CHANGE_DATA,
];
/** Yields to the event loop after this many milliseconds. */
const MAX_BLOCKING_MS = 10;

/** Compares access before and after a change exactly, with set operations instead of pairs. */
export async function compare(scene: Scene): Promise<Differences> {
  const differences = new Map<AccessChangeKind, Difference>();
  const comparison = new Comparison(scene);
  let began = performance.now();
  for (const users of scene.users) {
    const changed = new Set<AccessChangeKind>();
    for (const [account, rules] of changedRules(users)) {
      for (const { kind, bits, mask } of comparison.compare(users, account, rules)) {
        let difference = differences.get(kind);
        if (!difference) {
          difference = {
            users: [],
            assets: noBits(scene.atoms),
            accounts: new Set(),
            accesses: 0,
            mask: 0,
          };
          differences.set(kind, difference);
        }
        const { assets } = difference;
        for (let word = 0; word < bits.length; word++)
          assets[word] = (assets[word] ?? 0) | (bits[word] ?? 0);
        difference.accounts.add(account);
        difference.accesses += scene.weigh(bits) * users.ids.length;
        difference.mask |= mask;
        changed.add(kind);
      }
    }
    for (const kind of changed) differences.get(kind)?.users.push(...users.ids);
    if (performance.now() - began > MAX_BLOCKING_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
  }

  return differences;
}

/** Permissions that differ before and after, by system user. */
function changedRules({ before, after }: ComparedUsers): Map<number, ComparedRule[]> {
  const [was, is] = [new Set(before), new Set(after)];
  const byAccount = new Map<number, ComparedRule[]>();
  for (const rule of new Set([...before, ...after])) {
    if (was.has(rule) && is.has(rule) && rule.before === rule.after) continue;
    for (const account of rule.accounts) {
      const rules = byAccount.get(account);
      if (rules) rules.push(rule);
      else byAccount.set(account, [rule]);
    }
  }

  return byAccount;
}

interface KindOfDifference {
  readonly kind: AccessChangeKind;
  readonly bits: Bits;
  readonly mask: number;
}

/** Compares groups of users with one system user each. Reuses its bit sets between calls. */
class Comparison {
  readonly #offered: readonly Bits[];
  readonly #everyWord: Uint32Array;
  readonly #sets: Readonly<
    Record<
      | 'was'
      | 'is'
      | 'earlierWas'
      | 'earlierIs'
      | 'bitWas'
      | 'bitIs'
      | 'both'
      | 'gained'
      | 'lost'
      | 'more'
      | 'fewer'
      | 'longer'
      | 'shorter',
      Bits
    >
  >;

  constructor({ atoms, offered }: Scene) {
    const set = () => noBits(atoms);
    this.#offered = offered;
    this.#sets = {
      was: set(),
      is: set(),
      earlierWas: set(),
      earlierIs: set(),
      bitWas: set(),
      bitIs: set(),
      both: set(),
      gained: set(),
      lost: set(),
      more: set(),
      fewer: set(),
      longer: set(),
      shorter: set(),
    };
    this.#everyWord = Uint32Array.from({ length: this.#sets.was.length }, (_, word) => word);
  }

  /** Returns the kinds of differences between users and one system user. */
  compare(
    users: ComparedUsers,
    account: number,
    changed: readonly ComparedRule[],
  ): readonly KindOfDifference[] {
    const { gained, lost, more, fewer, longer, shorter } = this.#sets;
    const uses = ({ accounts }: ComparedRule) => accounts.includes(account);
    const [before, after, words] = [
      users.before.filter(uses),
      users.after.filter(uses),
      this.#wordsOf(changed),
    ];
    for (const bits of Object.values(this.#sets)) bits.fill(0);
    this.#compareEnds(before, after, words);
    const some = this.#compareReach(account, words);
    let [comes, goes] = [0, 0];
    for (const bit of some[0] === 0 ? [] : ACTION_BITS) {
      const [c, f] = this.#compareAction(bit, before, after, words);
      comes |= c;
      goes |= f;
    }
    const kinds: readonly (readonly [AccessChangeKind, Bits, number | undefined, number])[] = [
      ['gained', gained, some[1], 0],
      ['lost', lost, some[2], 0],
      ['more_actions', more, comes, comes],
      ['fewer_actions', fewer, goes, goes],
      ['longer', longer, some[3], 0],
      ['shorter', shorter, some[4], 0],
    ];
    return kinds
      .filter(([, , isSome]) => isSome !== 0)
      .map(([kind, bits, , mask]) => ({ kind, bits, mask }));
  }

  /**
   * Compares where the system user works: fills `both`, `gained` and `lost`, and limits `longer`
   * and `shorter`. Returns a number other than 0 for each set with atoms, in this order.
   */
  #compareReach(account: number, words: Uint32Array): Uint32Array {
    const { was, is, both, gained, lost, longer, shorter } = this.#sets;
    const usable = this.#offered[account] ?? both;
    const some = new Uint32Array(5);
    for (let place = 0; place < words.length; place++) {
      const word = words[place] ?? 0;
      const o = usable[word] ?? 0;
      const w = (was[word] ?? 0) & o;
      const i = (is[word] ?? 0) & o;
      const kept = w & i;
      both[word] = kept;
      some[0] = (some[0] ?? 0) | kept;
      const later = (longer[word] ?? 0) & kept;
      const earlier = (shorter[word] ?? 0) & kept;
      gained[word] = i & ~w;
      lost[word] = w & ~i;
      longer[word] = later;
      shorter[word] = earlier;
      some[1] = (some[1] ?? 0) | (i & ~w);
      some[2] = (some[2] ?? 0) | (w & ~i);
      some[3] = (some[3] ?? 0) | later;
      some[4] = (some[4] ?? 0) | earlier;
    }
    return some;
  }

  /** Words that a changed permission reaches; only these can differ. */
  #wordsOf(changed: readonly ComparedRule[]): Uint32Array {
    const words = new Set<number>();
    for (const { before, after } of changed) {
      for (const cover of new Set([before, after])) {
        if (!cover.words) return this.#everyWord;
        for (const word of cover.words) words.add(word);
      }
    }
    return Uint32Array.from(words);
  }

  /**
   * Adds permissions to `was` and `is`, latest end first. Atoms that one side gains at a later end
   * than the other have a changed end.
   */
  #compareEnds(
    before: readonly ComparedRule[],
    after: readonly ComparedRule[],
    words: Uint32Array,
  ): void {
    const { was, is, earlierWas, earlierIs, longer, shorter } = this.#sets;
    const ends = [...new Set([...before, ...after].map(({ until }) => until))].sort(
      (a, b) => b - a,
    );
    for (const end of ends) {
      earlierWas.set(was);
      earlierIs.set(is);
      for (const rule of before) if (rule.until === end) rule.before.addTo(was);
      for (const rule of after) if (rule.until === end) rule.after.addTo(is);
      for (let place = 0; place < words.length; place++) {
        const word = words[place] ?? 0;
        const w = was[word] ?? 0;
        const i = is[word] ?? 0;
        if (w === i) continue;
        longer[word] = (longer[word] ?? 0) | (i & ~(earlierIs[word] ?? 0) & ~w);
        shorter[word] = (shorter[word] ?? 0) | (w & ~(earlierWas[word] ?? 0) & ~i);
      }
    }
  }

  /**
   * Adds atoms that gain or lose an action to `more` and `fewer`. Returns the bit for each, or 0.
   */
  #compareAction(
    bit: number,
    before: readonly ComparedRule[],
    after: readonly ComparedRule[],
    words: Uint32Array,
  ): readonly [number, number] {
    const { bitWas, bitIs, both, more, fewer } = this.#sets;
    bitWas.fill(0);
    bitIs.fill(0);
    for (const rule of before) if (rule.mask & bit) rule.before.addTo(bitWas);
    for (const rule of after) if (rule.mask & bit) rule.after.addTo(bitIs);
    let comes = 0;
    let goes = 0;
    for (let place = 0; place < words.length; place++) {
      const word = words[place] ?? 0;
      const b = both[word] ?? 0;
      if (b === 0) continue;
      const w = bitWas[word] ?? 0;
      const i = bitIs[word] ?? 0;
      const m = i & ~w & b;
      const f = w & ~i & b;
      more[word] = (more[word] ?? 0) | m;
      fewer[word] = (fewer[word] ?? 0) | f;
      comes |= m;
      goes |= f;
    }
    return [comes === 0 ? 0 : bit, goes === 0 ? 0 : bit];
  }
}
