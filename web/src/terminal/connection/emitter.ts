/**
 * A minimal typed event source: the parts of the terminal meet through it and know nothing else of
 * each other.
 */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();

  /** Listens to one event; the answer stops listening. */
  on<K extends keyof Events>(name: K, listener: (event: Events[K]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(name, listeners);
    return () => listeners.delete(listener);
  }

  /** Tells every listener of one event. */
  emit<K extends keyof Events>(name: K, event: Events[K]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])])
      (listener as (value: Events[K]) => void)(event);
  }
}
