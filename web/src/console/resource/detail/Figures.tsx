import { Skeleton, Text } from '@mantine/core';
import type { LocalText } from '@sallyport/contract';
import type { ReactNode } from 'react';
import { formatNumber } from '../../../kit/format/format.ts';
import { t } from '../../../kit/i18n/index.ts';
import { PageLink, usePath } from '../../base/navigation.tsx';
import styles from './Detail.module.css';

export interface Figure {
  readonly label: LocalText;
  /** Undefined while loading; null after an error. */
  readonly value: ReactNode;
  readonly note?: string | false | undefined;
  /** The tab or section of the page with the counted objects. */
  readonly tab: string;
}

/** The row of numbers that begins an overview. Each leads to the tab with its objects. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  const path = usePath();
  return (
    <div className={styles.figures}>
      {figures.map(({ label, value, note, tab }) => (
        <PageLink
          key={tab}
          to={path}
          search={{ activeTab: tab }}
          className={styles.figure ?? ''}
          underline="never"
          c="inherit"
        >
          <Text span fz="sm" c="dimmed">
            {t(label)}
          </Text>
          <span className={styles.figureValue}>
            {value === undefined ? (
              <Skeleton height={24} width={56} />
            ) : typeof value === 'number' ? (
              formatNumber(value)
            ) : (
              (value ?? '–')
            )}
            {note && (
              <Text span fz="xs" c="dimmed" fw={400}>
                {note}
              </Text>
            )}
          </span>
        </PageLink>
      ))}
    </div>
  );
}
