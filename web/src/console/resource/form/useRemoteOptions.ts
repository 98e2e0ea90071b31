import { useDebouncedValue } from '@mantine/hooks';
import { type Page, SELECT_PAGE_SIZE } from '@sallyport/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../kit/api.ts';
import { SEARCH_DELAY } from '../../../kit/search-delay.ts';
import type { Reference } from '../references.ts';
import { cacheKey, listUrl, textOf } from '../source.ts';
import { useChosen } from '../useChosen.ts';

export interface RemoteOption {
  readonly value: string;
  readonly label: string;
  /** A question to answer before it is chosen. */
  readonly caution?: string | undefined;
}

/** Names are fetched for so many chosen values; a field with more shows their number. */
export const NAMED_VALUES = 50;

/** What a chosen value is shown as until its name has come. */
export const UNNAMED = '…';

/** The objects a select offers: ten at a time, searched by the server, together with the names of those already chosen. */
export function useRemoteOptions(
  reference: Reference,
  search: string,
  chosen: readonly string[],
  open: boolean,
) {
  const [settled] = useDebouncedValue(search.trim(), SEARCH_DELAY);
  const toOption = (row: object): RemoteOption => ({
    value: (reference.value ?? ((one) => textOf(one, 'id')))(row),
    label: reference.label(row),
    caution: reference.caution?.(row),
  });

  const pages = useInfiniteQuery({
    queryKey: [...cacheKey(reference), 'options', reference.query, settled],
    queryFn: ({ pageParam, signal }) =>
      api.get<Page<object>>(listUrl(reference), {
        query: { ...reference.query, search: settled, offset: pageParam, limit: SELECT_PAGE_SIZE },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.next ? all.length * SELECT_PAGE_SIZE : undefined),
    placeholderData: keepPreviousData,
    enabled: open,
  });
  const found = (pages.data?.pages ?? []).flatMap((page) => page.results.map(toOption));
  // What must not be chosen by a slip is never the first one.
  const options = [
    ...found.filter(({ caution }) => caution === undefined),
    ...found.filter(({ caution }) => caution !== undefined),
  ];

  // A name that was seen once stays known: what was picked must not lose it when something else is searched.
  const known = useRef(new Map<string, string>());
  for (const { value, label } of options) known.current.set(value, label);
  // Where the value is a name already, there is nothing to look up.
  const nameless = reference.value
    ? []
    : chosen.slice(0, NAMED_VALUES).filter((id) => !known.current.has(id));
  const [asked, ask] = useState<readonly string[]>(nameless);
  if (nameless.some((id) => !asked.includes(id))) ask(nameless);
  const named = useChosen(reference, asked);
  for (const { value, label } of named.rows.map(toOption)) known.current.set(value, label);
  const { hasMore, loading, loadMore } = named;
  useEffect(() => {
    if (hasMore && !loading) loadMore();
  }, [hasMore, loading, loadMore]);

  return {
    options,
    /** Whether the options are those of this search, and not of one before it; a search that failed is answered, too. */
    answered:
      settled === search.trim() && ((pages.isSuccess && !pages.isPlaceholderData) || pages.isError),
    labelOf: (value: string) => known.current.get(value) ?? (reference.value ? value : UNNAMED),
    loading: pages.isFetching,
    loadMore: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
  };
}
