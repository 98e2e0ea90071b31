import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { allows, type DashboardIndex, Permission } from '@sallyport/contract';
import { formatNumber } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { lazyComponent } from '../../../../kit/lazy-component.tsx';
import { sessionsOf } from '../../../base/addresses.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { useSession } from '../../../base/session.tsx';
import { AsTable } from '../../../resource/AsTable.tsx';
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

/** A number that links to the list it counts, if the user may see that list. */
function Counted({
  count,
  to,
  search,
}: {
  readonly count: number;
  readonly to: string | undefined;
  readonly search: Readonly<Record<string, string>>;
}) {
  const text = formatNumber(count);
  return to === undefined || count === 0 ? text : <PageLink {...{ to, search }}>{text}</PageLink>;
}

/** The numbers of the chart, each linked to its list. */
function DaysTable({ index }: { readonly index: DashboardIndex | undefined }) {
  const { role } = useSession();
  const mayList = allows(role.current, Permission.ADMIN);
  const days = index?.dates_metrics_range ?? [];
  const [logins, users, assets] = [
    index?.dates_metrics_total_count_login,
    index?.dates_metrics_total_count_active_users,
    index?.dates_metrics_total_count_active_assets,
  ];
  const total = (logins ?? []).reduce((sum, count) => sum + count, 0);
  return (
    <AsTable>
      <caption>{t(words.table)}</caption>
      <thead>
        <tr>
          {[words.day, words.logins, words.activeUsers, words.activeAssets].map((label) => (
            <th key={label.en} scope="col">
              {t(label)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.map(({ date, ...range }, place) => (
          <tr key={date}>
            <th scope="row">
              <span className="mono">{date}</span>
            </th>
            <td>
              <Counted count={logins?.[place] ?? 0} {...sessionsOf(range)} />
            </td>
            <td>
              <Counted
                count={users?.[place] ?? 0}
                to={mayList ? '/users/users' : undefined}
                search={{ used_on: date }}
              />
            </td>
            <td>
              <Counted
                count={assets?.[place] ?? 0}
                to={mayList ? '/assets/assets' : undefined}
                search={{ used_on: date }}
              />
            </td>
          </tr>
        ))}
      </tbody>
      {index?.dates_range && (
        <tfoot>
          <tr>
            <th scope="row">{t(words.total)}</th>
            <td>
              <Counted count={total} {...sessionsOf(index.dates_range)} />
            </td>
            <td colSpan={2} />
          </tr>
        </tfoot>
      )}
    </AsTable>
  );
}
