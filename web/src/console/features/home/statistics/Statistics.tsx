import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { t } from '../../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../../kit/lazy-component.tsx';
import { DaysTable } from './DaysTable.tsx';
import { Rings } from './Rings.tsx';
import styles from './Statistics.module.css';
import type { Period } from './useIndex.ts';
import type { StatisticsModel } from './useStatistics.ts';
import { words } from './words.ts';

// Lazy-loaded with the chart library.
const DaysChart = lazyComponent(
  () => import('./DaysChart.tsx').then((module) => module.DaysChart),
  <Skeleton className={styles.chartWaiting ?? ''} />,
);

/** Sessions of the last week or month by day, and used users and assets. */
export function Statistics({
  statistics: { data, isError, period, setPeriod, visiblePeriod },
}: {
  readonly statistics: StatisticsModel;
}) {
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
        <div className={styles.shape}>
          <div>
            {data ? <DaysChart index={data} /> : <Skeleton className={styles.chartWaiting ?? ''} />}
            <DaysTable index={data} />
          </div>
          <Rings index={data} period={visiblePeriod} />
        </div>
      )}
    </section>
  );
}
