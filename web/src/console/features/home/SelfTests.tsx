import { Text } from '@mantine/core';
import { type Page, type Row, terminal } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../kit/api.ts';
import { formatDate, formatNumber } from '../../../kit/format/format.ts';
import { formatNear } from '../../../kit/format/relative-time.ts';
import { t } from '../../../kit/i18n/index.ts';
import { IconAlertTriangle, IconCircleCheck, IconShieldCheck } from '../../../kit/icons.ts';
import { PageLink } from '../../base/navigation.tsx';
import { Card } from '../../resource/detail/Cards.tsx';
import { cacheKey, listUrl } from '../../resource/source.ts';
import styles from './Dashboard.module.css';
import { words } from './words.ts';

const EVERY_MILLISECONDS = 60_000;
/** Maximum number of servers; the page of terminals lists all. */
const LINES = 6;

/** The result of the last self-test of each server; renders nothing if none ran. */
export function SelfTests() {
  const { data } = useQuery({
    queryKey: [...cacheKey(terminal), 'self-tests'],
    queryFn: ({ signal }) =>
      api.get<Page<Row<typeof terminal>>>(listUrl(terminal), {
        query: { limit: LINES, order: 'name' },
        signal,
        quiet: true,
      }),
    refetchInterval: EVERY_MILLISECONDS,
  });
  const tested = (data?.results ?? []).filter(({ canary_date: date }) => date !== null);
  if (tested.length === 0) return null;
  return (
    <Card title={t(words.selfTests)} icon={<IconShieldCheck size={16} />}>
      {tested.map(
        ({
          id,
          name,
          canary_date: date,
          canary_milliseconds: milliseconds,
          canary_problem: problem,
        }) => (
          <div key={id} className={styles.line}>
            <PageLink to={`/terminal/terminal/${id}`} className={styles.who ?? ''} truncate>
              {name}
            </PageLink>
            <Text
              span
              fz="sm"
              className={styles.selfTest}
              {...(problem && { 'data-failed': true })}
            >
              {problem ? (
                <IconAlertTriangle size={16} aria-hidden="true" />
              ) : (
                <IconCircleCheck size={16} aria-hidden="true" />
              )}
              {problem ||
                t(words.selfTestWell, {
                  seconds: formatNumber(Math.round((milliseconds ?? 0) / 100) / 10),
                })}
            </Text>
            <Text span c="dimmed" fz="xs" className={styles.when} title={formatDate(date ?? '')}>
              {formatNear(date ?? '', new Date())}
            </Text>
          </div>
        ),
      )}
    </Card>
  );
}
