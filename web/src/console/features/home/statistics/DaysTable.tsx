import { allows, type DashboardIndex, type DateRange, Permission } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { formatNumber } from '../../../../kit/format.ts';
import { t } from '../../../../kit/i18n/index.ts';
import { sessionsOf } from '../../../base/addresses.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { useSession } from '../../../base/session.tsx';
import styles from './Statistics.module.css';
import { words } from './words.ts';

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
export function DaysTable({ index }: { readonly index: DashboardIndex | undefined }) {
  const { role } = useSession();
  const mayList = allows(role.current, Permission.ADMIN);
  const days = index?.dates_metrics_range ?? [];
  const [logins, users, assets] = [
    index?.dates_metrics_total_count_login,
    index?.dates_metrics_total_count_active_users,
    index?.dates_metrics_total_count_active_assets,
  ];
  const total = (logins ?? []).reduce((sum, count) => sum + count, 0);
  const row = (
    key: string,
    head: ReactNode,
    range: DateRange,
    counts: readonly [number, number, number] | readonly [number],
    used: string | undefined,
  ) => (
    <tr key={key}>
      <th scope="row">{head}</th>
      <td>
        <Counted count={counts[0]} {...sessionsOf(range)} />
      </td>
      {counts.slice(1).map((count, place) => (
        <td key={place === 0 ? 'users' : 'assets'}>
          <Counted
            count={count}
            to={mayList ? (place === 0 ? '/users/users' : '/assets/assets') : undefined}
            search={{ used_on: used ?? '' }}
          />
        </td>
      ))}
    </tr>
  );
  return (
    <details className={styles.asTable}>
      <summary>{t(words.asTable)}</summary>
      <table>
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
          {days.map(({ date, ...range }, place) =>
            row(
              date,
              <span className="mono">{date}</span>,
              range,
              [logins?.[place] ?? 0, users?.[place] ?? 0, assets?.[place] ?? 0],
              date,
            ),
          )}
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
      </table>
    </details>
  );
}
