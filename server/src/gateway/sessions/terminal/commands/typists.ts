/** Sets of those who typed in a line. Nearly all lines have one typist, the same as the line before, so they share a set: a person can send off thousands of lines in a second. */
export class Typists {
  private last: ReadonlySet<string> = new Set();

  /** The set with one more name; the given one does not change. */
  with(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
    if (names.has(name)) return names;
    if (names.size > 0) return new Set([...names, name]);
    if (!this.last.has(name)) this.last = new Set([name]);
    return this.last;
  }
}
