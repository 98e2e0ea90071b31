import { useDebouncedValue } from '@mantine/hooks';
import { type Page, SELECT_PAGE_SIZE } from '@sallyport/contract';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import type { Reference } from '../references.ts';
import { cacheKey, listUrl, textOf } from '../source.ts';

export interface RemoteOption {
  readonly value: string;
  readonly label: string;
}

const SEARCH_DELAY = 250;
/** Names are fetched for so many chosen values; a field with more shows their number. */
export const NAMED_VALUES = 50;

/** The objects a select offers: ten at a time, searched by the server, together with the names of those already chosen. */
export function useRemoteOptions(reference: Reference, search: string, chosen: readonly string[], open: boolean) {
  const [settled] = useDebouncedValue(search.trim(), SEARCH_DELAY);
  const toOption = (row: object): RemoteOption => ({ value: (reference.value ?? ((one) => textOf(one, 'id')))(row), label: reference.label(row) });

  const pages = useInfiniteQuery({
    queryKey: [...cacheKey(reference), 'options', reference.query, settled],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<object>>(listUrl(reference), { query: { ...reference.query, search: settled, offset: pageParam, limit: SELECT_PAGE_SIZE }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.next ? all.length * SELECT_PAGE_SIZE : undefined),
    placeholderData: keepPreviousData,
    enabled: open,
  });

  // Where the value is a name already, there is nothing to look up.
  const ids = reference.value ? [] : chosen.slice(0, NAMED_VALUES);
  const names = useQuery({
    queryKey: [...cacheKey(reference), 'names', reference.query, ids],
    queryFn: ({ signal }) => api.get<Page<object>>(listUrl(reference), { query: { ...reference.query, ids, limit: NAMED_VALUES }, signal }),
    placeholderData: keepPreviousData,
    enabled: ids.length > 0,
  });

  const options = (pages.data?.pages ?? []).flatMap((page) => page.results.map(toOption));
  const known = new Map([...(names.data?.results ?? []).map(toOption), ...options].map(({ value, label }) => [value, label]));
  return {
    options,
    labelOf: (value: string) => known.get(value) ?? (reference.value ? value : '…'),
    loading: pages.isFetching,
    loadMore: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
  };
}
