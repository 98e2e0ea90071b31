/** Ids of one resource that one message names; more are many. */
const MOST_IDS = 200;
/** Resources that one message names; more mean everything. */
const MOST_RESOURCES = 50;

/** What one listener has not heard yet: it grows with what changed, but only so far. */
export class Pending {
  #everything = false;
  #resources = new Map<string, Set<string> | null>();

  get isEmpty(): boolean {
    return !this.#everything && this.#resources.size === 0;
  }

  /** Adds changed objects; null for many. */
  add(resource: string, ids: readonly string[] | null): void {
    if (this.#everything) return;
    const before = this.#resources.get(resource);
    const together = ids === null || before === null ? null : new Set([...(before ?? []), ...ids]);
    this.#resources.set(resource, together && together.size > MOST_IDS ? null : together);
    if (this.#resources.size > MOST_RESOURCES) this.addEverything();
  }

  addEverything(): void {
    this.#everything = true;
    this.#resources.clear();
  }

  /** Takes what there is. Null: anything may have changed. */
  take(): Readonly<Record<string, readonly string[] | null>> | null {
    const resources = this.#everything
      ? null
      : Object.fromEntries([...this.#resources].map(([name, ids]) => [name, ids && [...ids]]));
    this.#everything = false;
    this.#resources.clear();
    return resources;
  }
}
