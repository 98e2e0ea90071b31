/** Repeatable randomness: sample data is the same on every machine. Not for secrets. */
export interface Random {
  /** At least 0, less than 1. */
  fraction(): number;
  /** An integer from `low` to `high`, inclusive. */
  between(low: number, high: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** True about once in `times` calls. */
  oneIn(times: number): boolean;
  /** An id in the format of a random UUID. */
  uuid(): string;
}

/** Creates a generator (mulberry32) from a seed. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number) => low + Math.floor(fraction() * (high - low + 1));
  const hex = (digits: number) =>
    Array.from({ length: digits }, () => between(0, 15).toString(16)).join('');
  return {
    fraction,
    between,
    pick(items) {
      const item = items[between(0, items.length - 1)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    oneIn: (times) => fraction() < 1 / times,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[between(0, 3)]}${hex(3)}-${hex(12)}`,
  };
}
