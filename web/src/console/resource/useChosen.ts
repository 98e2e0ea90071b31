import { type Page, SELECT_PAGE_SIZE } from '@sallyport/contract';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import { useSearchRecord } from '../base/navigation.tsx';
import type { Reference } from './references.ts';
import { cacheKey, listUrl, nameSet, type Source } from './source.ts';

interface Step {
  /** The name of the set; empty before the first page, which names it, and for few ids. */
  readonly spm: string;
  readonly offset: number;
}

interface Part extends Step {
  readonly rows: readonly object[];
  readonly more: boolean;
}

/** Maximum ids in an address. Asking by ids takes one request, a set takes two. */
const FEW = 40;

async function readPart(
  reference: Reference,
  ids: readonly string[],
  step: Step,
  signal: AbortSignal,
): Promise<Part> {
  const spm = ids.length <= FEW ? '' : step.spm || (await nameSet(ids, signal));
  const meant = spm ? { spm } : { ids: ids.join() };
  const query = { ...reference.query, ...meant, offset: step.offset, limit: SELECT_PAGE_SIZE };
  const page = await api.get<Page<object>>(listUrl(reference), { query, signal });
  return { spm, offset: step.offset, rows: page.results, more: page.next !== null };
}

/**
 * Returns the objects with the given ids, ten per page. Many ids are sent as a set, so their number
 * is unlimited (conformance 7.6).
 */
export function useChosen(reference: Reference, ids: readonly string[]) {
  const pages = useInfiniteQuery({
    queryKey: [...cacheKey(reference), 'chosen', reference.query, ids],
    queryFn: ({ pageParam, signal }) => readPart(reference, ids, pageParam, signal),
    initialPageParam: { spm: '', offset: 0 } as Step,
    getNextPageParam: ({ spm, offset, more }): Step | undefined =>
      more ? { spm, offset: offset + SELECT_PAGE_SIZE } : undefined,
    placeholderData: (previous) => previous,
    enabled: ids.length > 0,
  });
  return {
    rows: ids.length > 0 ? (pages.data?.pages.flatMap(({ rows }) => rows) ?? []) : [],
    loading: pages.isFetching,
    hasMore: ids.length > 0 && pages.hasNextPage,
    loadMore: () => {
      if (pages.hasNextPage && !pages.isFetchingNextPage) void pages.fetchNextPage();
    },
  };
}

/**
 * Returns the ids of the set of objects that the address names as `spm`. `isReady` is false until
 * they are read; without a set, there are none.
 */
export function useAddressedSet(source: Source): {
  readonly ids: readonly string[] | undefined;
  readonly isReady: boolean;
} {
  const { spm } = useSearchRecord();
  const { data, isPending } = useQuery({
    queryKey: [...cacheKey(source), 'set', spm],
    queryFn: ({ signal }) =>
      api.get<readonly { readonly id: string }[]>(listUrl(source), { query: { spm }, signal }),
    enabled: spm !== undefined,
  });
  return { ids: data?.map(({ id }) => id), isReady: spm === undefined || !isPending };
}
