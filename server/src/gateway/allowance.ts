/** Counts what is held at a time under each of some names, such as a person or an address. */
export class Allowance {
  private readonly held = new Map<string, number>();

  /** Takes one under every name, and returns how to give it back; `undefined` when one of them has its most already. */
  take(names: Readonly<Record<string, number>>): (() => void) | undefined {
    const entries = Object.entries(names);
    if (entries.some(([name, most]) => (this.held.get(name) ?? 0) >= most)) return undefined;
    for (const [name] of entries) this.held.set(name, (this.held.get(name) ?? 0) + 1);
    let given = false;
    return () => {
      if (given) return;
      given = true;
      for (const [name] of entries) {
        const left = (this.held.get(name) ?? 1) - 1;
        if (left > 0) this.held.set(name, left);
        else this.held.delete(name);
      }
    };
  }
}
