/** A set of atoms as a bit set, 32 atoms per word. */
export type Bits = Uint32Array;

/** Creates an empty set for this number of atoms. */
export function noBits(atoms: number): Bits {
  return new Uint32Array(Math.ceil(atoms / 32));
}

/** A set of atoms that is added to other sets repeatedly: few atoms as a list, many as bits. */
export interface Cover {
  /** Words with atoms of the set; undefined for large sets. */
  readonly words: ReadonlySet<number> | undefined;
  addTo(bits: Bits): void;
}

export function coverOf(atoms: readonly number[], total: number): Cover {
  const words = Math.ceil(total / 32);
  if (atoms.length < words) {
    const few = Uint32Array.from(atoms);
    return {
      words: new Set(few.map((atom) => atom >>> 5)),
      addTo(bits) {
        for (const atom of few) bits[atom >>> 5] = (bits[atom >>> 5] ?? 0) | (1 << (atom & 31));
      },
    };
  }
  const many = bitsOf(atoms, total);
  return {
    words: undefined,
    addTo(bits) {
      for (let word = 0; word < words; word++) bits[word] = (bits[word] ?? 0) | (many[word] ?? 0);
    },
  };
}

export function bitsOf(atoms: Iterable<number>, total: number): Bits {
  const bits = noBits(total);
  for (const atom of atoms) bits[atom >>> 5] = (bits[atom >>> 5] ?? 0) | (1 << (atom & 31));
  return bits;
}

export function* atomsIn(bits: Bits): Generator<number> {
  for (let word = 0; word < bits.length; word++) {
    for (let rest = bits[word] ?? 0; rest !== 0; rest &= rest - 1)
      yield word * 32 + 31 - Math.clz32(rest & -rest);
  }
}

/** Sums the weights of the atoms of a set. */
export type Weigh = (bits: Bits) => number;

/**
 * Creates a sum of weights. Precomputes full words, because permissions often reach nearly all
 * atoms.
 */
export function weigher(weights: readonly number[]): Weigh {
  const whole = new Float64Array(Math.ceil(weights.length / 32));
  for (const [atom, weight] of weights.entries())
    whole[atom >>> 5] = (whole[atom >>> 5] ?? 0) + weight;
  return (bits) => {
    let sum = 0;
    for (let word = 0; word < bits.length; word++) {
      let rest = bits[word] ?? 0;
      if (rest === 0xffffffff) {
        sum += whole[word] ?? 0;
        continue;
      }
      for (; rest !== 0; rest &= rest - 1)
        sum += weights[word * 32 + 31 - Math.clz32(rest & -rest)] ?? 0;
    }
    return sum;
  };
}
