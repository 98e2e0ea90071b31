import { useDebouncedValue } from '@mantine/hooks';
import type { SearchAnswer, SearchHit } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { useSession } from '../../base/session.tsx';

const PAUSE = 80;
const PATH = 'search/';

interface Hits {
  readonly hits: readonly SearchHit[];
  /** True if the hits belong to the current text. */
  readonly settled: boolean;
  readonly failed: boolean;
}

/**
 * Searches objects on the server. Earlier hits remain until new ones arrive. `kind` and `enabled`
 * restrict the search.
 */
export function useHits(
  text: string,
  {
    kind,
    limit,
    enabled = true,
  }: { readonly kind?: string; readonly limit?: number; readonly enabled?: boolean } = {},
): Hits {
  const { role, organization } = useSession();
  const input = text.trim();
  const [settled] = useDebouncedValue(input, PAUSE);
  const query = useQuery({
    queryKey: ['search', organization?.id, role.current, kind, limit, settled],
    queryFn: ({ signal }) =>
      api.get<SearchAnswer>(PATH, {
        query: { q: settled, role: role.current, kind, limit },
        signal,
        quiet: true,
      }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
    enabled,
  });
  const isCurrent = settled === input && !query.isPlaceholderData && !query.isPending;
  return {
    hits: enabled ? (query.data?.results ?? []) : [],
    settled: !enabled || isCurrent || query.isError,
    failed: query.isError,
  };
}

/** Records that the user opened an object, which ranks it higher. */
export function noteUse({ kind, id }: SearchHit): void {
  // No message for a failed request: only the ranking suffers.
  api.post(`${PATH}uses/`, { kind, object: id }, { quiet: true }).catch(() => undefined);
}
