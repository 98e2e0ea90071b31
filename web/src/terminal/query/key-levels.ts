/** A level of keys, or a key, by the parts of its name between colons. */
export interface KeyLevel {
  readonly name: string;
  /** The key of this name; undefined if the name is only a prefix of keys. */
  readonly key: string | undefined;
  readonly levels: readonly KeyLevel[];
  /** Keys at and below it. */
  readonly count: number;
}

interface Growing {
  key?: string;
  readonly levels: Map<string, Growing>;
}

/** Maximum depth; the rest of a deeper key is one name. */
const MOST_LEVELS = 12;

/** Keys as a tree: each colon begins a level. */
export function levelsOf(keys: readonly string[]): readonly KeyLevel[] {
  const root: Growing = { levels: new Map() };
  for (const key of keys) {
    const parts = key.split(':');
    const names =
      parts.length > MOST_LEVELS
        ? [...parts.slice(0, MOST_LEVELS - 1), parts.slice(MOST_LEVELS - 1).join(':')]
        : parts;
    let at = root;
    for (const name of names) {
      const next = at.levels.get(name) ?? { levels: new Map() };
      at.levels.set(name, next);
      at = next;
    }
    at.key = key;
  }
  return finished(root);
}

function finished({ levels }: Growing): readonly KeyLevel[] {
  return [...levels].map(([name, level]) => {
    const below = finished(level);
    return {
      name,
      key: level.key,
      levels: below,
      count: below.reduce((sum, { count }) => sum + count, level.key === undefined ? 0 : 1),
    };
  });
}
