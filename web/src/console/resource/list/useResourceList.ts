import type { Page } from '@sallyport/contract';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, api } from '../../../kit/api.ts';
import { cacheKey, listUrl, type Source } from '../source.ts';
import { isNarrowed, type ListState, pagesOf, queryOf } from './list-state.ts';
import type { ChangeList } from './useListState.ts';

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
