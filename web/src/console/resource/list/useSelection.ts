import { useState, useSyncExternalStore } from 'react';
import { createSelection, type Selection } from './selection.ts';

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
