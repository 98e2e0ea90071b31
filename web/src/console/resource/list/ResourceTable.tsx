import { ActionIcon, UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type Field, say, shapeOf } from '@sallyport/contract';
import { Fragment, type ReactNode, useRef, useState } from 'react';
import { common, language, t } from '../../../kit/i18n/index.ts';
import {
  IconArrowsSort,
  IconChevronDown,
  IconChevronRight,
  IconSortAscending,
  IconSortDescending,
} from '../../../kit/icons.ts';
import { Loading, lazyComponent } from '../../../kit/lazy-component.tsx';
import { zoneName } from '../../../kit/relative-time.ts';
import { PageLink } from '../../base/navigation.tsx';
import { linkedCell } from '../object/LinkedCell.tsx';
import { nameIn, type Source, textOf } from '../source.ts';
import { type Column, defaultCell, widthOf } from './columns.tsx';
import { draggedRows } from './dragged-rows.ts';
import styles from './List.module.css';
import { SkeletonRows } from './ListStates.tsx';
import { nextOrder } from './list-state.ts';
import { type RowAction, RowActions } from './RowActions.tsx';
import { PageBox, RowBox } from './SelectBox.tsx';
import type { Selection } from './selection.ts';
import { walkTable } from './table-keys.ts';
import { useFittingColumns } from './useFittingColumns.ts';
import { words } from './words.ts';

export interface ResourceTableProps<T> {
  readonly source: Source;
  readonly columns: readonly Column<T>[];
  /** The user chose these columns: show all of them, even without room. */
  readonly chosen?: boolean;
  /** The column that links to the object; defaults to the first. */
  readonly linked?: string | undefined;
  /** Column widths in pixels chosen by the user. */
  readonly widths?: Readonly<Record<string, number>>;
  readonly onWidth?: (name: string, width: number | null) => void;
  /** Receives the names of the visible columns. */
  readonly onFit?: (names: readonly string[]) => void;
  readonly rows: readonly T[];
  readonly loading: boolean;
  readonly skeletonRows: number;
  readonly busy: boolean;
  readonly compact: boolean;
  readonly order: string;
  readonly onOrder: (order: string) => void;
  readonly link?: ((row: T) => string | undefined) | undefined;
  readonly actions?: ((row: T) => readonly RowAction[]) | undefined;
  readonly selection?: Selection<T> | undefined;
  /** Allows dragging rows. */
  readonly draggable?: boolean | undefined;
  readonly expand?: ((row: T) => ReactNode) | undefined;
}

const labelOf = <T,>(column: Column<T>, field: Field | undefined) =>
  column.label ? t(column.label) : field ? say(field.label, language) : column.name;

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

function Unfold({
  open,
  name,
  onToggle,
}: {
  readonly open: boolean;
  readonly name: string;
  readonly onToggle: () => void;
}) {
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      aria-expanded={open}
      aria-label={t(words.expand, { name })}
      onClick={onToggle}
    >
      <Icon size={16} />
    </ActionIcon>
  );
}

// Loaded lazily: few visits resize a column.
const ResizeHandle = lazyComponent(() =>
  import('../columns/ResizeHandle.tsx').then((module) => module.ResizeHandle),
);
const ZONE = zoneName(new Date());

/** A chosen width is binding; a default width is only a hint. */
const fixed = (chosen: number | undefined, usual: number | undefined) =>
  chosen ? { width: chosen, minWidth: chosen, maxWidth: chosen } : { width: usual };

/**
 * The table of a list: links, sortable headers, selection, row actions, expandable rows and
 * keyboard navigation.
 */
export function ResourceTable<T extends { readonly id: string }>(props: ResourceTableProps<T>) {
  const {
    source,
    rows,
    loading,
    order,
    onOrder,
    link,
    actions,
    selection,
    expand,
    linked,
    widths = {},
    onWidth,
  } = props;
  const [handles, setHandles] = useState(false);
  const showHandles = () => setHandles(onWidth !== undefined);
  const phone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  const box = useRef<HTMLDivElement>(null);
  const columns = useFittingColumns(
    box,
    props.columns,
    rows,
    props.chosen === true,
    widths,
    props.onFit,
  );
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const nameOf = (row: T) => nameIn(source, row);
  const width = columns.length + (selection ? 1 : 0) + (actions ? 1 : 0) + (expand ? 1 : 0);

  function toggle(id: string) {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  }

  function cell(row: T, column: Column<T>, first: boolean) {
    const to = first ? link?.(row) : undefined;
    const draw = to ? defaultCell : linkedCell;
    const content = column.cell
      ? column.cell(row)
      : draw(row, column.name, source.fields[column.name]);
    const linked = to ? <PageLink to={to}>{content}</PageLink> : content;
    if (!column.after) return linked;
    return (
      <div style={{ position: 'relative' }}>
        {linked}
        {column.after(row)}
      </div>
    );
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
            {columns.map((column) => {
              const field = source.fields[column.name];
              const label = labelOf(column, field);
              const sorted =
                order === column.name
                  ? 'ascending'
                  : order === `-${column.name}`
                    ? 'descending'
                    : undefined;
              return (
                <th
                  key={column.name}
                  scope="col"
                  data-column={column.name}
                  style={{
                    ...fixed(widths[column.name], widthOf(column, field)),
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
                    <Loading>
                      <ResizeHandle
                        label={label}
                        width={widths[column.name]}
                        onWidth={(width) => onWidth(column.name, width)}
                      />
                    </Loading>
                  )}
                </th>
              );
            })}
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
            <Fragment key={row.id}>
              <tr data-row={row.id}>
                {selection && (
                  <td className={styles.check}>
                    <RowBox selection={selection} row={row} name={nameOf(row)} />
                  </td>
                )}
                {expand && (
                  <td className={styles.check}>
                    <Unfold
                      open={open.has(row.id)}
                      name={nameOf(row)}
                      onToggle={() => toggle(row.id)}
                    />
                  </td>
                )}
                {columns.map((column, index) => (
                  <td
                    key={column.name}
                    className={`${styles.cell} ${column.essential ? styles.whole : ''} ${column.mono ? 'mono' : ''}`}
                    style={{
                      ...(column.align && { textAlign: column.align }),
                      ...(widths[column.name] && { maxWidth: widths[column.name] }),
                    }}
                    title={column.cell ? undefined : textOf(row, column.name).slice(0, 500)}
                  >
                    {cell(row, column, linked === undefined ? index === 0 : linked === column.name)}
                  </td>
                ))}
                {actions && (
                  <td className={styles.actions}>
                    <RowActions actions={actions(row)} name={nameOf(row)} phone={phone} />
                  </td>
                )}
              </tr>
              {expand && open.has(row.id) && (
                <tr className={styles.expanded}>
                  <td colSpan={width}>{expand(row)}</td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
