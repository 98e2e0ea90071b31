import { Skeleton, Text } from '@mantine/core';
import type { LocalText, Page } from '@sallyport/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { api } from '../../../kit/api.ts';
import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { cacheKey, listUrl } from '../../resource/source.ts';
import styles from './Dashboard.module.css';

interface CountProps {
  readonly title: LocalText;
  /** A further fact about the number; undefined while loading. */
  readonly note: string | undefined;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** Undefined while loading; null after an error. */
  readonly value: number | null | undefined;
  readonly icon: ComponentType<{ readonly size?: number | string }>;
}

/** A number on the start page that links to the counted list. */
export function Count({ title, note, to, search, value, icon: Icon }: CountProps) {
  return (
    <Link to={to} {...(search && { search })} className={styles.count} preload="intent">
      <span className={styles.countHead}>
        {t(title)} <Icon size={20} />
      </span>
      <span className={styles.value}>
        {value === undefined ? (
          <Skeleton height={32} width={64} />
        ) : value === null ? (
          '–'
        ) : (
          formatNumber(value)
        )}
      </span>
      <Text span fz="xs" c="dimmed" className={styles.note}>
        {note ?? '\u00a0'}
      </Text>
    </Link>
  );
}

/** The number of rows of a list; undefined while loading, null after an error. */
export function useCount(
  source: { readonly path: string },
  query: Readonly<Record<string, string | number>> = {},
  { enabled = true, refetchEvery = 0 } = {},
): number | null | undefined {
  const answer = useQuery({
    queryKey: [...cacheKey(source), 'count', query],
    queryFn: ({ signal }) =>
      api.get<Page<unknown>>(listUrl(source), {
        query: { ...query, limit: 1 },
        signal,
        quiet: true,
      }),
    enabled,
    ...(refetchEvery > 0 && { refetchInterval: refetchEvery }),
  });
  return answer.data?.count ?? (answer.isError ? null : undefined);
}
