import { Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { type DayOfSessions, session } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { api } from '../../../kit/api.ts';
import { formatNumber } from '../../../kit/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { cacheKey } from '../../resource/source.ts';
import styles from './Dashboard.module.css';
import { dayRange, heightOf } from './days.ts';
import { words } from './words.ts';

const EVERY_MILLISECONDS = 60_000;

/** How many sessions each of the last days had; a day leads to its sessions. */
export function SessionsByDay() {
  const heading = useId();
  const { data, isError } = useQuery({
    queryKey: [...cacheKey(session), 'by-day'],
    queryFn: ({ signal }) => api.get<readonly DayOfSessions[]>('terminal/sessions/by-day/', { signal, quiet: true }),
    refetchInterval: EVERY_MILLISECONDS,
  });
  if (isError) return null;
  const most = Math.max(1, ...(data ?? []).map(({ count }) => count));
  const total = (data ?? []).reduce((sum, { count }) => sum + count, 0);
  return (
    <section className={styles.days} aria-labelledby={heading}>
      <div className={styles.daysHead}>
        <h2 id={heading}>{t(words.byDay)}</h2>
        {data && (
          <Text span c="dimmed" fz="sm">
            {t(words.sum, { count: total })}
          </Text>
        )}
      </div>
      {data ? (
        <ol className={styles.bars}>
          {data.map(({ date, count, users }) => {
            const summary = t(words.dayTotal, { date, count, users });
            return (
              <li key={date}>
                <Link
                  to="/terminal/session"
                  search={{ activeTab: 'OfflineList', ...dayRange(date) }}
                  className={styles.bar}
                  title={summary}
                  {...(count === 0 && { 'data-none': true })}
                >
                  <span className="mono" aria-hidden="true">
                    {count > 0 && formatNumber(count)}
                  </span>
                  <i style={{ height: `${heightOf(count, most)}%` }} />
                  <span className="mono" aria-hidden="true">
                    {date.slice(5).replace('-', '/')}
                  </span>
                  <VisuallyHidden>{summary}</VisuallyHidden>
                </Link>
              </li>
            );
          })}
        </ol>
      ) : (
        <Skeleton height={120} />
      )}
    </section>
  );
}
