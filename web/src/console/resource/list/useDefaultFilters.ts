import { TAG_SEARCH_DELAY } from '@sallyport/contract';
import { useEffect } from 'react';
import { isNarrowed, type ListState } from './list-state.ts';
import type { ChangeList } from './useListState.ts';

/** Conditions that a list begins with: they become tags a moment after it is shown (specification §9), unless the address has others already. */
export function useDefaultFilters(filters: Readonly<Record<string, string>> | undefined, state: ListState, change: ChangeList): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what the list began with
  useEffect(() => {
    if (!filters || isNarrowed(state)) return;
    const timer = setTimeout(() => change({ filters }, true), TAG_SEARCH_DELAY);
    return () => clearTimeout(timer);
  }, []);
}
