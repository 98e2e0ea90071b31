import type { AttentionItem } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../kit/api.ts';

const EVERY_MILLISECONDS = 60_000;

/** Key of the query, to invalidate it after an answer. */
export const ATTENTION_KEY = ['attention'] as const;

/** The query of items that need attention in this organization. */
export type Needs = ReturnType<typeof useAttention>;

/** Loads the items that need attention, every minute. */
export function useAttention() {
  return useQuery({
    queryKey: ATTENTION_KEY,
    queryFn: ({ signal }) =>
      api.get<readonly AttentionItem[]>('common/attention/', { signal, quiet: true }),
    refetchInterval: EVERY_MILLISECONDS,
  });
}
