import { useState, useSyncExternalStore } from 'react';
import { createSelection, type Selection } from './selection.ts';

interface Identified {
  readonly id: string;
}

/** The selection of a list. It does not draw the list again when it changes: who shows a part of it listens to that part. */
export function useSelection<T extends Identified>(): Selection<T> {
  const [selection] = useState(() => createSelection<T>());
  return selection;
}

/** All selected rows, whichever page they are on. */
export function useSelectedRows<T extends Identified>(selection: Selection<T>): readonly T[] {
  return useSyncExternalStore(selection.subscribe, selection.rows);
}

/** Whether one row is selected. */
export function useIsSelected<T extends Identified>(selection: Selection<T>, id: string): boolean {
  return useSyncExternalStore(selection.subscribe, () => selection.has(id));
}
