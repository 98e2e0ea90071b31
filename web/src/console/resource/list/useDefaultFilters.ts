import { TAG_SEARCH_DELAY } from '@sallyport/contract';
import { useEffect } from 'react';
import { isNarrowed, type ListState } from './list-state.ts';
import type { ChangeList } from './useListState.ts';

type Filters = Readonly<Record<string, string>>;

/**
 * Conditions that a list begins with: they become tags a moment after it is shown (specification §9), unless the address has others
 * already. @returns how to stop it
 */
export function applyLater(filters: Filters | undefined, state: ListState, change: ChangeList): (() => void) | undefined {
  if (!filters || isNarrowed(state)) return undefined;
  const timer = setTimeout(() => change({ filters }, true), TAG_SEARCH_DELAY);
  return () => clearTimeout(timer);
}

/** Lets a list begin with conditions. */
export function useDefaultFilters(filters: Filters | undefined, state: ListState, change: ChangeList): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with what the list began with
  useEffect(() => applyLater(filters, state, change), []);
}
