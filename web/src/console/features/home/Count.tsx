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
  /** The number of each of the last days. */
  readonly days?: readonly number[] | undefined;
  /** The color of a number above zero that asks for an act. */
  readonly asks?: 'answer' | 'repair';
}

/** The last days as a line. The chart of the page says the same to screen readers. */
function Sparkline({ days }: { readonly days: readonly number[] }) {
  const most = Math.max(1, ...days);
  const points = days.map((count, day) => `${day},${(1 - count / most).toFixed(3)}`).join(' ');
  return (
    <svg
      className={styles.spark}
      viewBox={`0 -0.1 ${Math.max(1, days.length - 1)} 1.2`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points} vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

/** A number on the start page that links to the counted list. */
export function Count({ title, note, to, search, value, icon: Icon, days, asks }: CountProps) {
  return (
    <Link
      to={to}
      {...(search && { search })}
      className={styles.count}
      {...(asks && !!value && { 'data-asks': asks })}
      preload="intent"
    >
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
        {days && <Sparkline days={days} />}
      </span>
      <Text span fz="xs" c="dimmed" className={styles.note}>
        {note ?? '\u00a0'}
      </Text>
    </Link>
  );
}
