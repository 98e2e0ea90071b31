import { type DashboardIndex, type DashboardPart, session } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { cacheKey } from '../../../resource/source.ts';

export type Period = 'week' | 'month';

/**
 * Loads some numbers of the dashboard at an interval in milliseconds. While another period loads,
 * the previous numbers stay.
 */
export function useIndex(
  parts: readonly DashboardPart[],
  refetchEvery: number,
  period: Period = 'week',
) {
  return useQuery({
    queryKey: [...cacheKey(session), 'index', parts, period],
    queryFn: ({ signal }) =>
      api.get<DashboardIndex>('index/', {
        query: {
          ...Object.fromEntries(parts.map((part) => [part, 1])),
          ...(period === 'month' && { monthly: 1 }),
        },
        signal,
        quiet: true,
      }),
    refetchInterval: refetchEvery,
    placeholderData: keepPreviousData,
  });
}
