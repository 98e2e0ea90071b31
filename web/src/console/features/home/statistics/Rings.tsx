import { Skeleton } from '@mantine/core';
import {
  allows,
  DASHBOARD_DAYS,
  type DashboardIndex,
  type LocalText,
  Permission,
} from '@sallyport/contract';
import { formatNumber } from '../../../../kit/format/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { useSession } from '../../../base/session.tsx';
import styles from './Statistics.module.css';
import type { Period } from './useIndex.ts';
import { words } from './words.ts';

interface Share {
  readonly label: LocalText;
  readonly count: number;
  readonly search: Readonly<Record<string, string>>;
}

/** Disabled objects are a separate share, used or not. */
function sharesOf(index: DashboardIndex, kind: 'users' | 'assets', days: number): readonly Share[] {
  const [active = 0, inactive = 0, disabled = 0, both = 0] = (
    ['active', 'inactive', 'disabled', 'disabled_active'] as const
  ).map((name) => index[`dates_total_count_${name}_${kind}`]);
  return [
    {
      label: words[`${kind}Used`],
      count: active - both,
      search: { used_days: String(days), is_active: 'true' },
    },
    { label: words[`${kind}Disabled`], count: disabled, search: { is_active: 'false' } },
    {
      label: words[`${kind}Unused`],
      count: inactive - (disabled - both),
      search: { unused_days: String(days), is_active: 'true' },
    },
  ];
}

function Ring({
  title,
  list,
  shares,
}: {
  readonly title: LocalText;
  readonly list: string | undefined;
  readonly shares: readonly Share[];
}) {
  const sum = shares.reduce((total, { count }) => total + count, 0);
  const percent = (count: number) => (sum === 0 ? 0 : (100 * count) / sum);
  return (
    <section className={styles.ring} aria-label={t(title)}>
      <div className={styles.round} aria-hidden="true">
        <svg viewBox="0 0 100 100" aria-hidden="true">
          {shares.map(({ label, count }, place) => (
            <circle
              key={label.en}
              {...{ cx: 50, cy: 50, r: 43, pathLength: 100 }}
              stroke={`var(--chart-share-${place + 1})`}
              // The stroke of one share begins at the end of the previous one.
              strokeDasharray={`${percent(count)} 100`}
              strokeDashoffset={
                -shares.slice(0, place).reduce((before, share) => before + percent(share.count), 0)
              }
            />
          ))}
        </svg>
        <span>
          <b>{formatNumber(sum)}</b>
          {t(title)}
        </span>
      </div>
      <dl>
        {shares.map(({ label, count, search }, place) => (
          <div key={label.en}>
            <dt>
              <i aria-hidden="true" style={{ background: `var(--chart-share-${place + 1})` }} />{' '}
              {t(label)}
            </dt>
            <dd>
              {list ? (
                <PageLink to={list} search={search}>
                  {formatNumber(count)}
                </PageLink>
              ) : (
                formatNumber(count)
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** Used and unused users and assets; each number links to its list. */
export function Rings({
  index,
  period,
}: {
  readonly index: DashboardIndex | undefined;
  readonly period: Period;
}) {
  const { role } = useSession();
  const mayList = allows(role.current, Permission.ADMIN);
  const days = DASHBOARD_DAYS[period];
  return (
    <div className={styles.rings}>
      {index ? (
        <>
          <Ring
            title={words.users}
            list={mayList ? '/users/users' : undefined}
            shares={sharesOf(index, 'users', days)}
          />
          <Ring
            title={words.assets}
            list={mayList ? '/assets/assets' : undefined}
            shares={sharesOf(index, 'assets', days)}
          />
        </>
      ) : (
        <>
          <Skeleton height={116} />
          <Skeleton height={116} />
        </>
      )}
    </div>
  );
}
