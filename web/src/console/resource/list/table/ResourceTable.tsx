import { VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useRef, useState } from 'react';
import { common, t } from '../../../../kit/i18n/index.ts';
import styles from '../List.module.css';
import { SkeletonRows } from '../ListStates.tsx';
import { PageBox } from '../selection/SelectBox.tsx';
import { words } from '../words.ts';
import { draggedRows } from './dragged-rows.ts';
import { HeadCell } from './HeadCell.tsx';
import { type ResourceTableProps, widthOfTable } from './resource-table-props.ts';
import { TableRow } from './TableRow.tsx';
import { walkTable } from './table-keys.ts';
import { useFittingColumns } from './useFittingColumns.ts';

/**
 * The table of a list: links, sortable headers, selection, row actions, expandable rows and
 * keyboard navigation.
 */
export function ResourceTable<T extends { readonly id: string }>(props: ResourceTableProps<T>) {
  const { source, rows, loading, actions, selection, expand, widths = {}, onWidth } = props;
  const [handles, setHandles] = useState(false);
  const phone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  const showHandles = () => setHandles(onWidth !== undefined);
  const box = useRef<HTMLDivElement>(null);
  const columns = useFittingColumns({
    box,
    columns: props.columns,
    rows,
    chosen: props.chosen === true,
    widths,
    onFit: props.onFit,
  });
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const width = widthOfTable(props, columns);

  function toggle(id: string) {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  }

  return (
    <div className={styles.scroll} ref={box}>
      <table
        className={`${styles.table} ${props.compact ? styles.compact : ''} ${props.busy ? styles.busy : ''}`}
        aria-busy={loading || props.busy}
        aria-label={t(source.title)}
        onKeyDown={walkTable}
        {...(props.draggable && selection && draggedRows(selection))}
      >
        <thead onPointerEnter={showHandles} onFocus={showHandles}>
          <tr>
            {selection && (
              <th className={styles.check}>
                <PageBox selection={selection} rows={rows} />
              </th>
            )}
            {expand && (
              <th className={styles.check}>
                <VisuallyHidden>{t(common.more)}</VisuallyHidden>
              </th>
            )}
            {columns.map((column) => (
              <HeadCell key={column.name} column={column} table={props} handles={handles} />
            ))}
            {actions && (
              <th className={styles.actions} scope="col">
                {t(words.actions)}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {loading && <SkeletonRows rows={props.skeletonRows} columns={width} />}
          {rows.map((row) => (
            <TableRow
              key={row.id}
              row={row}
              columns={columns}
              table={props}
              phone={phone}
              isOpen={open.has(row.id)}
              onToggle={() => toggle(row.id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}
