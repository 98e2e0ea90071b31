import { useCallback, useState } from 'react';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { changed, type ListState, readState, writeState } from './list-state.ts';

/** Changes the state of a list. `quietly`: the person did not ask for it, so the way back must not lead to what was before. */
export type ChangeList = (change: Partial<ListState>, quietly?: boolean) => void;

/** A list's state in the address: it can be bookmarked, sent to a colleague, and come back to. */
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

/** A list's state of its own, for lists inside of another page. */
export function useLocalListState(initial: ListState): readonly [ListState, ChangeList] {
  const [state, setState] = useState(initial);
  const change: ChangeList = useCallback((part) => setState((old) => changed(old, part)), []);
  return [state, change];
}
