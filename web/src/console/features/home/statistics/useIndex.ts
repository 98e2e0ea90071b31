import { type DashboardIndex, type DashboardPart, session } from '@sallyport/contract';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from '../../../../kit/api.ts';
import { cacheKey } from '../../../resource/source.ts';

export type Period = 'week' | 'month';

/** Some of the numbers of the dashboard, read again every so many milliseconds. While another period is read, the numbers of the previous one stay. */
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
