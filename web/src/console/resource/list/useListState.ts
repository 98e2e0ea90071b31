import { useCallback, useEffect, useRef, useState } from 'react';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { usePreferences } from '../../base/preferences.ts';
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

/** Opens a list with the default view of the user if the address has no search. */
export function useDefaultView(list: string, on: boolean): void {
  const { preferences, loaded } = usePreferences();
  const search = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const waits = useRef(on && Object.keys(search).length === 0);
  useEffect(() => {
    if (!loaded || !waits.current) return;
    waits.current = false;
    const view = preferences.views?.[list]?.[preferences.default_view?.[list] ?? ''];
    if (view) void go(path, { search: view.search, replace: true });
  }, [loaded, preferences, list, path, go]);
}
