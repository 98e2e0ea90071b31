import { Skeleton, Text } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import { Link } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
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
