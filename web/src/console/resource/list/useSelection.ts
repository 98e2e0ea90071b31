import { useState } from 'react';

export interface Selection<T> {
  readonly rows: readonly T[];
  readonly has: (id: string) => boolean;
  readonly toggle: (row: T) => void;
  /** Selects or deselects the rows of the page on screen; those of other pages stay as they are. */
  readonly togglePage: (rows: readonly T[], on: boolean) => void;
  readonly clear: () => void;
}

/** The selected rows, kept by id while the person turns pages and searches. */
export function useSelection<T extends { readonly id: string }>(): Selection<T> {
  const [chosen, setChosen] = useState<ReadonlyMap<string, T>>(new Map());
  return {
    rows: [...chosen.values()],
    has: (id) => chosen.has(id),
    toggle: (row) =>
      setChosen((old) => {
        const next = new Map(old);
        if (!next.delete(row.id)) next.set(row.id, row);
        return next;
      }),
    togglePage: (rows, on) =>
      setChosen((old) => {
        const next = new Map(old);
        for (const row of rows) on ? next.set(row.id, row) : next.delete(row.id);
        return next;
      }),
    clear: () => setChosen(new Map()),
  };
}
