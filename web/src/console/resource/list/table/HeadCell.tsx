import { UnstyledButton } from '@mantine/core';
import { type Field, say, shapeOf } from '@sallyport/contract';
import { zoneName } from '../../../../kit/format/relative-time.ts';
import { language, t } from '../../../../kit/i18n/index.ts';
import { IconArrowsSort, IconSortAscending, IconSortDescending } from '../../../../kit/icons.ts';
import { ResizeHandle } from '../../columns/ResizeHandle.tsx';
import styles from '../List.module.css';
import { nextOrder } from '../list-state.ts';
import { words } from '../words.ts';
import { type Column, widthOf } from './columns.tsx';
import type { PartProps, ResourceTableProps } from './resource-table-props.ts';

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
const fixed = (chosen: number | undefined, usual: number | undefined) =>
  chosen ? { width: chosen, minWidth: chosen, maxWidth: chosen } : { width: usual };

const labelOf = <T,>(column: Column<T>, field: Field | undefined) =>
  column.label ? t(column.label) : field ? say(field.label, language) : column.name;

interface HeadCellProps<T extends { readonly id: string }> extends PartProps<T> {
  readonly column: Column<T>;
  /** Shows the handle that changes the width. */
  readonly handles: boolean;
}

/** The head of a column: its name, the sort button and the handle. */
export function HeadCell<T extends { readonly id: string }>({
  column,
  table,
  handles,
}: HeadCellProps<T>) {
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
        <ResizeHandle
          label={label}
          width={widths[column.name]}
          onWidth={(width) => onWidth(column.name, width)}
        />
      )}
    </th>
  );
}
