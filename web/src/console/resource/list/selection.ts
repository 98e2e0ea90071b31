/** The selected rows of a list, kept by id while the person turns pages and searches. */
export interface Selection<T> {
  readonly rows: () => readonly T[];
  readonly has: (id: string) => boolean;
  readonly toggle: (row: T) => void;
  /** Selects or deselects the rows of the page on screen; those of other pages stay as they are. */
  readonly togglePage: (rows: readonly T[], on: boolean) => void;
  readonly clear: () => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Makes an empty selection. */
export function createSelection<T extends { readonly id: string }>(): Selection<T> {
  const chosen = new Map<string, T>();
  const listeners = new Set<() => void>();
  let rows: readonly T[] = [];
  function tell() {
    rows = [...chosen.values()];
    for (const listener of listeners) listener();
  }
  return {
    rows: () => rows,
    has: (id) => chosen.has(id),
    toggle: (row) => {
      if (!chosen.delete(row.id)) chosen.set(row.id, row);
      tell();
    },
    togglePage: (page, on) => {
      for (const row of page) on ? chosen.set(row.id, row) : chosen.delete(row.id);
      tell();
    },
    clear: () => {
      chosen.clear();
      tell();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
