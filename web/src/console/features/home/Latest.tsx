import { Skeleton, Text } from '@mantine/core';
import type { loginLog, Page, Row, session } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../../kit/api.ts';
import { formatDate } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { SessionMarks } from '../../../kit/session-marks/SessionMarks.tsx';
import { PageLink } from '../../base/navigation.tsx';
import detailStyles from '../../resource/detail/Detail.module.css';
import { YesNo } from '../../resource/list/table/columns.tsx';
import { cacheKey, listUrl, type Source } from '../../resource/source.ts';
import { Duration } from '../sessions/index.ts';
import styles from './Dashboard.module.css';
import { words } from './words.ts';

/** Polling interval for live data, in milliseconds. */
export const LIVE = 10_000;
const LINES = 6;

interface LatestProps<T> {
  readonly source: Source;
  readonly query: Readonly<Record<string, string | number>>;
  readonly empty: string;
  readonly line: (row: T) => ReactNode;
}

/** The first rows of a list, kept up to date. */
export function Latest<T extends { readonly id: string }>({
  source,
  query,
  empty,
  line,
}: LatestProps<T>) {
  const answer = useQuery({
    queryKey: [...cacheKey(source), 'latest', query],
    queryFn: ({ signal }) =>
      api.get<Page<T>>(listUrl(source), { query: { ...query, limit: LINES }, signal, quiet: true }),
    refetchInterval: LIVE,
  });
  const rows = answer.data?.results ?? [];
  return (
    <div className={styles.latest}>
      {answer.isPending && <Skeleton height={120} m="md" w="auto" />}
      {!answer.isPending && rows.length === 0 && (
        <Text c="dimmed" className={detailStyles.body}>
          {answer.error?.message ?? empty}
        </Text>
      )}
      {rows.map((row) => (
        <div key={row.id} className={styles.line}>
          {line(row)}
        </div>
      ))}
    </div>
  );
}

/** A session as one line: user, asset, duration and start. */
export function SessionLine({ row }: { readonly row: Row<typeof session> }) {
  return (
    <>
      <PageLink to={`/terminal/sessions/${row.id}`} className={styles.who ?? ''} truncate>
        {row.user} → {row.asset}
      </PageLink>
      <SessionMarks session={row} />
      <Text span c="dimmed" fz="xs">
        <Duration session={row} />
      </Text>
      <Text span className={`${styles.when} mono`} c="dimmed" fz="xs">
        {formatDate(row.date_start)}
      </Text>
    </>
  );
}

/** A sign-in as one line: user, address, result and time. */
export function SignInLine({ row }: { readonly row: Row<typeof loginLog> }) {
  return (
    <>
      <Text span truncate className={styles.who}>
        {row.username}{' '}
        <Text span className="mono" c="dimmed" fz="xs">
          {row.ip}
        </Text>
      </Text>
      <span className={styles.outcome}>
        <YesNo value={row.status} yes={t(words.success)} no={t(words.failed)} />
      </span>
      <Text span className={`${styles.when} mono`} c="dimmed" fz="xs">
        {formatDate(row.datetime)}
      </Text>
    </>
  );
}
