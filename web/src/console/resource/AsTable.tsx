import type { ReactNode } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import styles from './AsTable.module.css';

/** The numbers of a chart as a table, folded below the chart. */
export function AsTable({ children }: { readonly children: ReactNode }) {
  return (
    <details className={styles.asTable}>
      <summary>{t(common.asTable)}</summary>
      <table>{children}</table>
    </details>
  );
}
