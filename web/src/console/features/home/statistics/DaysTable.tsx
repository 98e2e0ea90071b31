import { allows, type DashboardIndex, Permission } from '@sallyport/contract';
import { formatNumber } from '../../../../kit/format/format.ts';
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
      </table>
    </details>
  );
}
