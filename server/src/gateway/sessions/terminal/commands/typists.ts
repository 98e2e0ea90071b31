/**
 * Builds sets of typists. Nearly all lines share the typist of the previous one, so they share a
 * set: a user can send thousands of lines per second.
 */
export class Typists {
  private last: ReadonlySet<string> = new Set();

  /** Returns `names` with one more name; does not change `names`. */
  with(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
    if (names.has(name)) return names;
    if (names.size > 0) return new Set([...names, name]);
    if (!this.last.has(name)) this.last = new Set([name]);
    return this.last;
  }
}
