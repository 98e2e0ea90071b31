import { useDebouncedValue } from '@mantine/hooks';
import { type Page, SELECT_PAGE_SIZE } from '@sallyport/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, SEARCH_DELAY } from '../../../kit/api.ts';
import { askFirst } from '../../../kit/dialogs/confirm.ts';
import { t } from '../../../kit/i18n/index.ts';
import type { Reference } from '../references.ts';
import { cacheKey, listUrl, textOf } from '../source.ts';
import { useChosen } from '../useChosen.ts';
import { words } from './words.ts';

export interface RemoteOption {
  readonly value: string;
  readonly label: string;
  /** Confirmation to ask for before the option is chosen. */
  readonly caution?: string | undefined;
}

/** Runs `choose`, after a confirmation if the objects to add have a caution. */
export function afterCaution(caution: string | undefined, choose: () => void) {
  if (caution === undefined) choose();
  else
    askFirst({
      title: t(words.addTitle),
      message: caution,
      confirm: t(words.add),
      danger: true,
      run: async () => choose(),
    });
}

/** Maximum chosen values whose names are fetched; a field with more shows their number. */
export const NAMED_VALUES = 50;

/** Placeholder of a chosen value until its name arrives. */
export const UNNAMED = '…';

/**
 * Returns the options of a select, ten per page and searched on the server, and the names of chosen
 * values.
 */
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
      // A select names its search even when it is empty, as clients of the API do.
      api.get<Page<object>>(`${listUrl(reference)}${settled === '' ? '?search=' : ''}`, {
        query: { ...reference.query, search: settled, offset: pageParam, limit: SELECT_PAGE_SIZE },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (last, all) => (last.next ? all.length * SELECT_PAGE_SIZE : undefined),
    placeholderData: keepPreviousData,
    enabled: open,
  });
  const matches = (pages.data?.pages ?? []).flatMap((page) => page.results.map(toOption));
  // Options that need a confirmation are never first, so Enter cannot choose them by accident.
  const options = [
    ...matches.filter(({ caution }) => caution === undefined),
    ...matches.filter(({ caution }) => caution !== undefined),
  ];

  // Remember every name seen: a chosen value must keep its name during another search.
  const known = useRef(new Map<string, string>());
  for (const { value, label } of options) known.current.set(value, label);
  // Values that are names need no lookup.
  const nameless = reference.value
    ? []
    : chosen.slice(0, NAMED_VALUES).filter((id) => !known.current.has(id));
  const [asked, ask] = useState<readonly string[]>(nameless);
  if (nameless.some((id) => !asked.includes(id))) ask(nameless);
  const chosenPages = useChosen(reference, asked);
  for (const { value, label } of chosenPages.rows.map(toOption)) known.current.set(value, label);
  const { hasMore, loading, loadMore } = chosenPages;
  useEffect(() => {
    if (hasMore && !loading) loadMore();
  }, [hasMore, loading, loadMore]);

  return {
    options,
    /** True if the options belong to this search; a failed search counts as answered. */
    answered:
      settled === search.trim() && ((pages.isSuccess && !pages.isPlaceholderData) || pages.isError),
    labelOf: (value: string) => known.current.get(value) ?? (reference.value ? value : UNNAMED),
    loading: pages.isFetching,
    loadMore: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
  };
}
