import { type ReactNode, useState } from 'react';
import { common, t } from '../../kit/i18n/index.ts';
import styles from './AsTable.module.css';

/** The numbers of a chart as a table below it, drawn when the user unfolds it. */
export function AsTable({ children }: { readonly children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className={styles.asTable} open={isOpen}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a summary is a button by itself */}
      <summary
        onClick={(event) => {
          event.preventDefault();
          setOpen(!isOpen);
        }}
      >
        {t(common.asTable)}
      </summary>
      {isOpen && <table>{children}</table>}
    </details>
  );
}
