import { useCallback, useState } from 'react';
import { useGo, usePath, useSearchRecord } from '../../navigation.tsx';
import { changed, type ListState, readState, writeState } from './list-state.ts';

export type ChangeList = (change: Partial<ListState>) => void;

/** A list's state in the address: it can be bookmarked, sent to a colleague, and come back to. */
export function useUrlListState(): readonly [ListState, ChangeList] {
  const search = useSearchRecord();
  const path = usePath();
  const go = useGo();
  const state = readState(search);
  const change: ChangeList = (part) => void go(path, { search: writeState(changed(state, part), search), replace: true });
  return [state, change];
}

/** A list's state of its own, for lists that stand inside of another page. */
export function useLocalListState(initial: ListState): readonly [ListState, ChangeList] {
  const [state, setState] = useState(initial);
  const change: ChangeList = useCallback((part) => setState((old) => changed(old, part)), []);
  return [state, change];
}
