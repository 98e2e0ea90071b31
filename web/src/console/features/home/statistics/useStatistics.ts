import { DASHBOARD_DAYS } from '@sallyport/contract';
import { useState } from 'react';
import { type Period, useIndex } from './useIndex.ts';

const EVERY_MILLISECONDS = 60_000;
const PARTS = [
  'dates_metrics',
  'dates_total_count_users',
  'dates_total_count_assets',
  'dates_login_times_top10_users',
  'dates_login_times_top10_assets',
] as const;

/** The numbers of the chosen period, which the cards of a start page share. */
export function useStatistics() {
  const [period, setPeriod] = useState<Period>('week');
  const { data, isError } = useIndex(PARTS, EVERY_MILLISECONDS, period);
  return {
    data,
    isError,
    period,
    setPeriod,
    // While another period loads, the previous numbers stay, with their titles and links.
    visiblePeriod: (data?.dates_metrics_date?.length === DASHBOARD_DAYS.month
      ? 'month'
      : 'week') as Period,
  };
}

export type StatisticsModel = ReturnType<typeof useStatistics>;
