import { useCallback, useState } from 'react';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { changed, type ListState, readState, writeState } from './list-state.ts';

/**
 * Changes the state of a list. `quietly` replaces the history entry, for changes that the user did
 * not ask for.
 */
export type ChangeList = (change: Partial<ListState>, quietly?: boolean) => void;

/** Keeps the state of a list in the address, for bookmarks, sharing and the back button. */
export function useUrlListState(
  firstSize?: number,
  pageNames: readonly string[] = [],
): readonly [ListState, ChangeList] {
  const search = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const state = readState(search, firstSize, pageNames);
  const change: ChangeList = (part, quietly = false) =>
    void go(path, {
      search: writeState(changed(state, part), search, firstSize, pageNames),
      replace: quietly,
    });
  return [state, change];
}

/** Keeps the state of a list in memory, for lists inside another page. */
export function useLocalListState(initial: ListState): readonly [ListState, ChangeList] {
  const [state, setState] = useState(initial);
  const change: ChangeList = useCallback((part) => setState((old) => changed(old, part)), []);
  return [state, change];
}
