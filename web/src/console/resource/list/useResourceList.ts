import type { Page } from '@sallyport/contract';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { useGo, usePath, useSearchRecord } from '../../base/navigation.tsx';
import { usePreferences } from '../../base/preferences.ts';
import { cacheKey, listUrl, type Source } from '../source.ts';
import {
  changed,
  isNarrowed,
  type ListState,
  pagesOf,
  queryOf,
  readState,
  writeState,
} from './list-state.ts';

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

/** The state that a list shows. */
export type ListView = 'loading' | 'rows' | 'empty' | 'nothing-found' | 'failed';

export interface ResourceListModel<T> {
  readonly rows: readonly T[];
  readonly count: number;
  readonly pages: number;
  readonly view: ListView;
  /** True while rows of the previous query are shown and the next ones load. */
  readonly busy: boolean;
  readonly error: Error | null;
  /** The query without paging. */
  readonly query: Readonly<Record<string, string | number>>;
  readonly refresh: () => Promise<void>;
  /** Reads all matching rows of all pages, without computed fields. */
  readonly readAll: () => Promise<readonly T[]>;
}

interface Options<T> {
  readonly idOf?: (row: T) => string;
  readonly base?: Readonly<Record<string, string | number>>;
  /** Polling interval in milliseconds for data that changes without the user. */
  readonly refetchEvery?: number;
}

/** Reads one page of a list and returns the state to show. Draws nothing. */
export function useResourceList<T>(
  source: Source,
  state: ListState,
  change: ChangeList,
  { base = {}, refetchEvery, idOf }: Options<T> = {},
): ResourceListModel<T> {
  const client = useQueryClient();
  const query = queryOf(state, base);
  const { limit: _limit, offset: _offset, ...all } = query;
  const { data, isPending, isError, error, isPlaceholderData, isFetching } = useQuery({
    queryKey: [...cacheKey(source), 'list', query],
    queryFn: ({ signal }) => api.get<Page<T>>(listUrl(source), { query, signal }),
    placeholderData: keepPreviousData,
    ...(refetchEvery && { refetchInterval: refetchEvery }),
  });
  // A failed request empties the list (conformance 8.9), because old rows must not appear under a
  // new filter. Without any answer the rows of this query stay: the connection banner tells their
  // age.
  const failed =
    isError && !(data !== undefined && error instanceof ApiError && error.status === 0);
  const results = failed ? [] : (data?.results ?? []);
  const rows = idOf ? results.map((row) => ({ ...row, id: idOf(row) })) : results;
  const count = failed ? 0 : (data?.count ?? 0);
  const pages = pagesOf(count, state.size);
  const beyond = !isPlaceholderData && data !== undefined && rows.length === 0 && state.page > 1;

  // The last row of the last page was removed: go back one page.
  useEffect(() => {
    if (beyond) change({ page: pages }, true);
  }, [beyond, pages, change]);

  const view: ListView = failed
    ? 'failed'
    : isPending || beyond
      ? 'loading'
      : rows.length > 0
        ? 'rows'
        : isNarrowed(state)
          ? 'nothing-found'
          : 'empty';
  return {
    rows,
    count,
    pages,
    view,
    busy: isPlaceholderData || (isFetching && view !== 'loading' && !refetchEvery),
    error,
    query: all,
    readAll: async () => {
      const matches = await api.get<readonly T[]>(listUrl(source), {
        query: { ...all, fields_size: 'small' },
      });
      return idOf ? matches.map((row) => ({ ...row, id: idOf(row) })) : matches;
    },
    refresh: () => client.invalidateQueries({ queryKey: cacheKey(source) }),
  };
}
