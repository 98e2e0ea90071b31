import { useState, useSyncExternalStore } from 'react';

/** All rows matched by a list, named by the server: too many to hold in the browser. */
export interface ChosenSet {
  readonly spm: string;
  readonly count: number;
  /** Query string of the list. */
  readonly query: string;
}

/** The selected rows of a list by id, kept across pages and searches. */
export interface Selection<T> {
  readonly rows: () => readonly T[];
  /**
   * Replaces the rows by a set. Every row is then selected; deselecting one clears the selection.
   */
  readonly set: () => ChosenSet | undefined;
  readonly chooseSet: (set: ChosenSet) => void;
  readonly count: () => number;
  readonly has: (id: string) => boolean;
  readonly toggle: (row: T) => void;
  /** Selects or deselects the rows of the current page; other pages keep theirs. */
  readonly togglePage: (rows: readonly T[], on: boolean) => void;
  readonly clear: () => void;
  readonly subscribe: (listener: () => void) => () => void;
}

export function createSelection<T extends { readonly id: string }>(): Selection<T> {
  const chosen = new Map<string, T>();
  const listeners = new Set<() => void>();
  let rows: readonly T[] = [];
  let set: ChosenSet | undefined;
  function tell(next?: ChosenSet) {
    if (set ?? next) chosen.clear();
    set = next;
    rows = [...chosen.values()];
    for (const listener of listeners) listener();
  }
  return {
    rows: () => rows,
    set: () => set,
    chooseSet: tell,
    count: () => set?.count ?? rows.length,
    has: (id) => set !== undefined || chosen.has(id),
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

interface Identified {
  readonly id: string;
}

/**
 * Creates the selection of a list. Changes do not rerender the list; components subscribe to their
 * own part.
 */
export function useSelection<T extends Identified>(): Selection<T> {
  const [selection] = useState(() => createSelection<T>());
  return selection;
}

/** Returns the selected rows of all pages. */
export function useSelectedRows<T extends Identified>(selection: Selection<T>): readonly T[] {
  return useSyncExternalStore(selection.subscribe, selection.rows);
}

export function useIsSelected<T extends Identified>(selection: Selection<T>, id: string): boolean {
  return useSyncExternalStore(selection.subscribe, () => selection.has(id));
}
