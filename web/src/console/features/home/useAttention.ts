import type { AttentionItem } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';

const EVERY_MILLISECONDS = 60_000;

/** What needs attention in this organization, and how reading it went. */
export type Needs = ReturnType<typeof useAttention>;

/** Reads what needs attention, and again every minute. */
export function useAttention() {
  return useQuery({
    queryKey: ['attention'],
    queryFn: ({ signal }) =>
      api.get<readonly AttentionItem[]>('common/attention/', { signal, quiet: true }),
    refetchInterval: EVERY_MILLISECONDS,
  });
}
