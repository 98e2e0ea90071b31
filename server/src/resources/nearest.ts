/** Compared characters per name. */
const COMPARED = 64;

/** Levenshtein distance of two texts. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to++) {
      const replaced = (row[to] ?? 0) + (one[at] === other[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** Sorts names by similarity to a text. */
export function nearestFirst(text: string, names: readonly string[]): string[] {
  const key = (value: string) => value.toLowerCase().slice(0, COMPARED);
  const target = key(text);
  return names
    .map((name) => ({ name, distance: distance(target, key(name)) }))
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ name }) => name);
}
