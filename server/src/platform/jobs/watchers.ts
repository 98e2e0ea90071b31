/** The watchers of jobs, by job id. */
export class JobWatchers {
  readonly #byJob = new Map<string, Set<() => void>>();

  /** Calls `changed` whenever the job may have changed. Returns a function that stops watching. */
  watch(id: string, changed: () => void): () => void {
    const listeners = this.#byJob.get(id) ?? new Set();
    this.#byJob.set(id, listeners.add(changed));
    return () => {
      listeners.delete(changed);
      if (listeners.size === 0 && this.#byJob.get(id) === listeners) this.#byJob.delete(id);
    };
  }

  /** Waits for the next change of a job, from the time of the call. */
  nextChange(id: string): Promise<void> {
    return new Promise((settle) => {
      const stop = this.watch(id, () => {
        stop();
        settle();
      });
    });
  }

  /** Calls the watchers of a job. */
  notify(id: string): void {
    for (const changed of this.#byJob.get(id) ?? []) changed();
  }

  /** Calls all watchers, after messages may have been lost. */
  notifyAll(): void {
    for (const id of this.#byJob.keys()) this.notify(id);
  }
}
