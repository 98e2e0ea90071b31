import { Skeleton, Text } from '@mantine/core';
import type { DashboardIndex, LocalText } from '@sallyport/contract';
import { t } from '../../../../kit/i18n/index.ts';
import { sessionsOf } from '../../../base/addresses.ts';
import { PageLink } from '../../../base/navigation.tsx';
import styles from './Statistics.module.css';
import type { Period } from './useIndex.ts';
import type { StatisticsModel } from './useStatistics.ts';
import { words } from './words.ts';

interface Line {
  readonly name: string;
  readonly total: number;
  /** The filter of the counted sessions; empty for sessions without a name. */
  readonly by: Readonly<Record<string, string>>;
}

function Top({
  title,
  lines,
  index,
  period,
}: {
  title: LocalText;
  lines: readonly Line[] | undefined;
  index: DashboardIndex | undefined;
  period: Period;
}) {
  const most = Math.max(1, ...(lines ?? []).map(({ total }) => total));
  return (
    <section className={styles.top} aria-label={t(title)}>
      <h3>{t(title)}</h3>
      {lines?.length === 0 && <Text c="dimmed">{t(words.nothing)}</Text>}
      {!lines && <Skeleton height={120} />}
      <ol>
        {lines?.map(({ name, total, by }) => (
          <li key={`${name} ${Object.values(by).join()}`}>
            <span className={styles.topName} title={name}>
              {name}
            </span>
            <PageLink {...sessionsOf(index?.dates_range ?? { from: '', to: '' }, by)}>
              {t(period === 'week' ? words.timesWeek : words.timesMonth, { count: total })}
            </PageLink>
            <i
              aria-hidden="true"
              className={styles.bar}
              style={{ width: `${(100 * total) / most}%` }}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

/**
 * Users and assets with the most sessions; each number links to these sessions. Draws nothing after
 * an error.
 */
export function Tops({
  statistics: { data: index, isError, visiblePeriod: period },
}: {
  readonly statistics: StatisticsModel;
}) {
  if (isError && !index) return null;
  const users = index?.dates_login_times_top10_users?.map(({ user, user_id: id, total }) => ({
    name: user,
    total,
    by: id ? { user_id: id } : { user },
  }));
  const assets = index?.dates_login_times_top10_assets?.map(({ asset, asset_id: id, total }) => ({
    name: asset,
    total,
    by: id ? { asset_id: id } : { asset },
  }));
  return (
    <div className={styles.tops}>
      <Top
        title={period === 'week' ? words.topUsersWeek : words.topUsersMonth}
        lines={users}
        {...{ index, period }}
      />
      <Top
        title={period === 'week' ? words.topAssetsWeek : words.topAssetsMonth}
        lines={assets}
        {...{ index, period }}
      />
    </div>
  );
}
