import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type Field, say, shapeOf } from '@sallyport/contract';
import { type CSSProperties, Fragment, useRef, useState } from 'react';
import { zoneName } from '../../../../kit/format/relative-time.ts';
import { common, language, t } from '../../../../kit/i18n/index.ts';
import { IconArrowsSort, IconSortAscending, IconSortDescending } from '../../../../kit/icons.ts';
import { ResizeHandle } from '../../columns/ResizeHandle.tsx';
import styles from '../List.module.css';
import { SkeletonRows } from '../ListStates.tsx';
import { nextOrder } from '../list-state.ts';
import { PageBox } from '../selection/SelectBox.tsx';
import { words } from '../words.ts';
import { type Column, keptWidth, widthOf } from './columns.tsx';
import { draggedRows } from './dragged-rows.ts';
import { type PartProps, type ResourceTableProps, widthOfTable } from './resource-table-props.ts';
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
          {rows.map((row, index) => (
            <Fragment key={row.id}>
              <GroupHead table={props} row={row} above={rows[index - 1]} width={width} />
              <TableRow
                row={row}
                columns={columns}
                table={props}
                phone={phone}
                isOpen={open.has(row.id)}
                onToggle={() => toggle(row.id)}
              />
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface GroupHeadProps<T extends { readonly id: string }> extends PartProps<T> {
  readonly row: T;
  readonly above: T | undefined;
  readonly width: number;
}

/** The head of a group, over its first row. */
function GroupHead<T extends { readonly id: string }>({
  table: { groups },
  row,
  above,
  width,
}: GroupHeadProps<T>) {
  if (!groups || (above && groups.key(above) === groups.key(row))) return null;
  return (
    <tr>
      <td className={styles.group} colSpan={width}>
        {groups.head(row)}
      </td>
    </tr>
  );
}

function SortButton({
  name,
  label,
  order,
  onOrder,
}: { readonly name: string; readonly label: string } & Pick<
  ResourceTableProps<never>,
  'order' | 'onOrder'
>) {
  const sorted = order === name ? 'ascending' : order === `-${name}` ? 'descending' : undefined;
  const Icon =
    sorted === 'ascending' ? IconSortAscending : sorted ? IconSortDescending : IconArrowsSort;
  return (
    <UnstyledButton
      className={styles.sort}
      aria-label={t(words.sortBy, { name: label })}
      {...(sorted && { 'data-sorted': sorted })}
      onClick={() => onOrder(nextOrder(order, name))}
    >
      {label}
      <Icon size={14} opacity={sorted ? 1 : 0.6} />
    </UnstyledButton>
  );
}

const ZONE = zoneName(new Date());

/** A chosen width is binding; a default width is only a hint. */
const fixed = (
  chosen: number | undefined,
  usual: number | undefined,
  kept: number | undefined,
): CSSProperties =>
  chosen
    ? { width: chosen, minWidth: chosen, maxWidth: chosen }
    : { width: usual, ...(kept && { '--kept': `${kept}px` }) };

const labelOf = <T,>(column: Column<T>, field: Field | undefined) =>
  column.label ? t(column.label) : field ? say(field.label, language) : column.name;

interface HeadCellProps<T extends { readonly id: string }> extends PartProps<T> {
  readonly column: Column<T>;
  /** Shows the handle that changes the width. */
  readonly handles: boolean;
}

/** The head of a column: its name, the sort button and the handle. */
function HeadCell<T extends { readonly id: string }>({ column, table, handles }: HeadCellProps<T>) {
  const { source, order, onOrder, widths = {}, onWidth } = table;
  const field = source.fields[column.name];
  const label = labelOf(column, field);
  const sorted =
    order === column.name ? 'ascending' : order === `-${column.name}` ? 'descending' : undefined;
  return (
    <th
      scope="col"
      data-column={column.name}
      style={{
        ...fixed(widths[column.name], widthOf(column, field), keptWidth(column, field)),
        textAlign: column.align ?? 'left',
      }}
      {...(sorted && { 'aria-sort': sorted })}
    >
      {field?.order && column.order !== false ? (
        <SortButton name={column.name} label={label} order={order} onOrder={onOrder} />
      ) : (
        label
      )}
      {field && shapeOf(field) === 'datetime' && !column.cell && (
        <span className={styles.zone}> · {ZONE}</span>
      )}
      {handles && onWidth && (
        <ResizeHandle
          label={label}
          width={widths[column.name]}
          onWidth={(width) => onWidth(column.name, width)}
        />
      )}
    </th>
  );
}
