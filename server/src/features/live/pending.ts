/** Maximum ids of one resource per message. Beyond it, the message says "many". */
const MOST_IDS = 200;
/** Maximum resources per message. Beyond it, the message says "everything". */
const MOST_RESOURCES = 50;

/** Changes not yet sent to a listener, with limited size. */
export class Pending {
  #everything = false;
  #resources = new Map<string, Set<string> | null>();

  get isEmpty(): boolean {
    return !this.#everything && this.#resources.size === 0;
  }

  /** Adds changed objects. Null means many. */
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

  /** Returns and clears the pending changes. Null means that anything may have changed. */
  take(): Readonly<Record<string, readonly string[] | null>> | null {
    const resources = this.#everything
      ? null
      : Object.fromEntries([...this.#resources].map(([name, ids]) => [name, ids && [...ids]]));
    this.#everything = false;
    this.#resources.clear();
    return resources;
  }
}
