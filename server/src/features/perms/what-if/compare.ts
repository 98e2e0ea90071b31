import { ACTIONS, type AccessChangeKind, CHANGE_DATA } from '@sallyport/contract';
import { type Bits, type Cover, noBits, type Weigh } from './cover.ts';

/**
 * A permission as it is compared: what it reaches before and after, with which system users (by
 * their place in a list).
 */
export interface ComparedRule {
  readonly accounts: readonly number[];
  readonly mask: number;
  /** When it ends, in seconds: forms know no more. */
  readonly until: number;
  readonly before: Cover;
  /** The same object where it reaches the same. */
  readonly after: Cover;
}

/** Users who are named by the same permissions before, and by the same after. */
export interface ComparedUsers {
  readonly ids: readonly string[];
  readonly before: readonly ComparedRule[];
  readonly after: readonly ComparedRule[];
}

/** All that a comparison needs: assets that nothing tells apart are one atom. */
export interface Scene {
  readonly users: readonly ComparedUsers[];
  readonly atoms: number;
  readonly weigh: Weigh;
  /** On which atoms each system user can be used. */
  readonly offered: readonly Bits[];
}

/**
 * One kind of difference: who, on what, with which system users, and how many accesses (user,
 * asset, system user) it is in all.
 */
export interface Difference {
  readonly users: string[];
  readonly assets: Bits;
  readonly accounts: Set<number>;
  accesses: number;
  mask: number;
}

export type Differences = ReadonlyMap<AccessChangeKind, Difference>;

/** The single actions. */
const ACTION_BITS = [
  ...ACTIONS.map(({ mask }) => mask).filter((mask) => (mask & (mask - 1)) === 0),
  CHANGE_DATA,
];
/** Others get their turn after so many milliseconds. */
const TURN = 10;

/** Compares who may use what before and after, exactly, by sets of assets and never by pairs. */
export async function compare(scene: Scene): Promise<Differences> {
  const found = new Map<AccessChangeKind, Difference>();
  const compareAccount = createComparison(scene);
  let began = performance.now();
  for (const users of scene.users) {
    const changed = new Set<AccessChangeKind>();
    for (const [account, rules] of concerned(users)) {
      for (const { kind, bits, mask } of compareAccount(users, account, rules)) {
        let difference = found.get(kind);
        if (!difference) {
          difference = {
            users: [],
            assets: noBits(scene.atoms),
            accounts: new Set(),
            accesses: 0,
            mask: 0,
          };
          found.set(kind, difference);
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
    for (const kind of changed) found.get(kind)?.users.push(...users.ids);
    if (performance.now() - began > TURN) {
      await new Promise((resolve) => setImmediate(resolve));
      began = performance.now();
    }
  }
  return found;
}

/** The permissions that are not the same before and after, by their system users. */
function concerned({ before, after }: ComparedUsers): Map<number, ComparedRule[]> {
  const [was, is] = [new Set(before), new Set(after)];
  const found = new Map<number, ComparedRule[]>();
  for (const rule of new Set([...before, ...after])) {
    if (was.has(rule) && is.has(rule) && rule.before === rule.after) continue;
    for (const account of rule.accounts) {
      const rules = found.get(account);
      if (rules) rules.push(rule);
      else found.set(account, [rule]);
    }
  }
  return found;
}

interface Found {
  readonly kind: AccessChangeKind;
  readonly bits: Bits;
  readonly mask: number;
}

type CompareAccount = (
  users: ComparedUsers,
  account: number,
  changed: readonly ComparedRule[],
) => readonly Found[];

/** Compares users of one kind with one system user. The sets are made once and used again. */
function createComparison({ atoms, offered }: Scene): CompareAccount {
  const sets = () => noBits(atoms);
  const [was, is, earlierWas, earlierIs, bitWas, bitIs, both] = [
    sets(),
    sets(),
    sets(),
    sets(),
    sets(),
    sets(),
    sets(),
  ];
  const [gained, lost, more, fewer, longer, shorter] = [
    sets(),
    sets(),
    sets(),
    sets(),
    sets(),
    sets(),
  ];
  const all = [was, is, both, gained, lost, more, fewer, longer, shorter];
  const everyWord = Uint32Array.from({ length: was.length }, (_, word) => word);

  /** Only where a changed permission reaches something can be a difference. */
  function wordsOf(changed: readonly ComparedRule[]): Uint32Array {
    const words = new Set<number>();
    for (const { before, after } of changed) {
      for (const cover of new Set([before, after])) {
        if (!cover.words) return everyWord;
        for (const word of cover.words) words.add(word);
      }
    }
    return Uint32Array.from(words);
  }

  /**
   * Adds what permissions reach, the last to end first; what comes later in one order than in the
   * other ends at another time.
   */
  function follow(
    before: readonly ComparedRule[],
    after: readonly ComparedRule[],
    words: Uint32Array,
  ): void {
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

  /** Where an action comes or goes. */
  function followAction(
    bit: number,
    before: readonly ComparedRule[],
    after: readonly ComparedRule[],
    words: Uint32Array,
  ): readonly [number, number] {
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

  return (users, account, changed) => {
    const uses = ({ accounts }: ComparedRule) => accounts.includes(account);
    const [before, after, words] = [
      users.before.filter(uses),
      users.after.filter(uses),
      wordsOf(changed),
    ];
    for (const bits of all) bits.fill(0);
    follow(before, after, words);
    const usable = offered[account] ?? both;
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
    let [comes, goes] = [0, 0];
    for (const bit of some[0] === 0 ? [] : ACTION_BITS) {
      const [c, f] = followAction(bit, before, after, words);
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
  };
}
