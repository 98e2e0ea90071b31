/** Counts units in use per name, such as a user or an address. */
export class Allowance {
  private readonly held = new Map<string, number>();

  /**
   * Takes one unit under each name. Returns a function to release them, or `undefined` if a name
   * has reached its maximum.
   */
  take(names: Readonly<Record<string, number>>): (() => void) | undefined {
    const entries = Object.entries(names);
    if (entries.some(([name, max]) => (this.held.get(name) ?? 0) >= max)) return undefined;
    for (const [name] of entries) this.held.set(name, (this.held.get(name) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      for (const [name] of entries) {
        const left = (this.held.get(name) ?? 1) - 1;
        if (left > 0) this.held.set(name, left);
        else this.held.delete(name);
      }
    };
  }
}
