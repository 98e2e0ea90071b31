import { useSyncExternalStore } from 'react';
import { t } from '../../../../kit/i18n/index.ts';
import styles from '../List.module.css';
import { words } from '../words.ts';
import { type Selection, useIsSelected } from './selection.ts';

interface Identified {
  readonly id: string;
}

/** The checkbox of one row. A tick rerenders only this box. */
export function RowBox<T extends Identified>({
  selection,
  row,
  name,
}: {
  readonly selection: Selection<T>;
  readonly row: T;
  readonly name: string;
}) {
  const checked = useIsSelected(selection, row.id);
  return (
    <input
      type="checkbox"
      className={styles.box}
      aria-label={t(words.selectRow, { name })}
      checked={checked}
      onChange={() => selection.toggle(row)}
    />
  );
}

/**
 * The checkbox in the header for all rows of the page. Disabled without rows, so no early click is
 * lost.
 */
export function PageBox<T extends Identified>({
  selection,
  rows,
}: {
  readonly selection: Selection<T>;
  readonly rows: readonly T[];
}) {
  const chosen = useSyncExternalStore(
    selection.subscribe,
    () => rows.filter(({ id }) => selection.has(id)).length,
  );
  const some = chosen > 0 && chosen < rows.length;
  return (
    <input
      type="checkbox"
      className={styles.box}
      aria-label={t(words.selectAll)}
      checked={rows.length > 0 && chosen === rows.length}
      disabled={rows.length === 0}
      ref={(box) => {
        if (box) box.indeterminate = some;
      }}
      onChange={(event) => selection.togglePage(rows, event.currentTarget.checked)}
    />
  );
}
