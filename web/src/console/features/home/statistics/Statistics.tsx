import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { DASHBOARD_DAYS } from '@sallyport/contract';
import { useState } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import { Loading, lazyComponent } from '../../../../kit/lazy-component.tsx';
import { DaysTable } from './DaysTable.tsx';
import { Rings } from './Rings.tsx';
import styles from './Statistics.module.css';
import { Tops } from './Tops.tsx';
import { type Period, useIndex } from './useIndex.ts';
import { words } from './words.ts';

// Lazy-loaded with the chart library.
const DaysChart = lazyComponent(() => import('./DaysChart.tsx').then((module) => module.DaysChart));

const EVERY_MILLISECONDS = 60_000;
const PARTS = [
  'dates_metrics',
  'dates_total_count_users',
  'dates_total_count_assets',
  'dates_login_times_top10_users',
  'dates_login_times_top10_assets',
] as const;

/** Sessions of the last week or month: by day, used users and assets, and the most active ones. */
export function Statistics() {
  const [period, setPeriod] = useState<Period>('week');
  const { data, isError } = useIndex(PARTS, EVERY_MILLISECONDS, period);
  // While another period loads, the previous numbers stay, with their titles and links.
  const visiblePeriod: Period =
    data?.dates_metrics_date?.length === DASHBOARD_DAYS.month ? 'month' : 'week';
  return (
    <section className={styles.statistics} aria-label={t(words.statistics)}>
      <div className={styles.head}>
        <h2>{t(words.statistics)}</h2>
        <SegmentedControl
          size="xs"
          aria-label={t(words.period)}
          value={period}
          onChange={(value) => setPeriod(value as Period)}
          data={[
            { value: 'week', label: t(words.week) },
            { value: 'month', label: t(words.month) },
          ]}
        />
      </div>
      {isError && !data ? (
        <Text c="dimmed" className={styles.failed}>
          {t(words.failed)}
        </Text>
      ) : (
        <>
          <div className={styles.shape}>
            <div>
              <Loading fallback={<Skeleton className={styles.chartWaiting ?? ''} />}>
                {data ? (
                  <DaysChart index={data} />
                ) : (
                  <Skeleton className={styles.chartWaiting ?? ''} />
                )}
              </Loading>
              <DaysTable index={data} />
            </div>
            <Rings index={data} period={visiblePeriod} />
          </div>
          <Tops index={data} period={visiblePeriod} />
        </>
      )}
    </section>
  );
}
