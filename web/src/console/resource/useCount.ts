import type { Page } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';
import { cacheKey, listUrl } from './source.ts';

/** The number of rows of a list; undefined while loading, null after an error. */
export function useCount(
  source: { readonly path: string },
  query: Readonly<Record<string, string | number>> = {},
  { enabled = true, refetchEvery = 0 } = {},
): number | null | undefined {
  const answer = useQuery({
    queryKey: [...cacheKey(source), 'count', query],
    queryFn: ({ signal }) =>
      api.get<Page<unknown>>(listUrl(source), {
        query: { ...query, limit: 1 },
        signal,
        quiet: true,
      }),
    enabled,
    ...(refetchEvery > 0 && { refetchInterval: refetchEvery }),
  });
  return answer.data?.count ?? (answer.isError ? null : undefined);
}
