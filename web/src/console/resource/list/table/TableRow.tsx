import { ActionIcon } from '@mantine/core';
import { t } from '../../../../kit/i18n/index.ts';
import { IconChevronDown, IconChevronRight } from '../../../../kit/icons.ts';
import { PageLink } from '../../../base/navigation.tsx';
import { linkedCell } from '../../object/LinkedCell.tsx';
import { nameIn, textOf } from '../../source.ts';
import styles from '../List.module.css';
import { RowBox } from '../selection/SelectBox.tsx';
import { words } from '../words.ts';
import { type Column, defaultCell } from './columns.tsx';
import { RowActions } from './RowActions.tsx';
import { type PartProps, widthOfTable } from './resource-table-props.ts';

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

interface CellProps<T extends { readonly id: string }> extends PartProps<T> {
  readonly row: T;
  readonly column: Column<T>;
  /** The page that the cell links to. */
  readonly to: string | undefined;
}

/** The content of a cell, linked in the first column. */
function Cell<T extends { readonly id: string }>({ row, column, table, to }: CellProps<T>) {
  const draw = to ? defaultCell : linkedCell;
  const content = column.cell
    ? column.cell(row)
    : draw(row, column.name, table.source.fields[column.name]);
  const linked = to ? <PageLink to={to}>{content}</PageLink> : content;
  if (!column.after) return linked;
  return (
    <div style={{ position: 'relative' }}>
      {linked}
      {column.after(row)}
    </div>
  );
}

interface TableRowProps<T extends { readonly id: string }> extends PartProps<T> {
  readonly row: T;
  readonly columns: readonly Column<T>[];
  readonly phone: boolean;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

/** A row with its box, cells and actions, and its unfolded content below. */
export function TableRow<T extends { readonly id: string }>({
  row,
  columns,
  table,
  phone,
  isOpen,
  onToggle,
}: TableRowProps<T>) {
  const { source, selection, expand, actions, link, linked, widths = {} } = table;
  const name = nameIn(source, row);
  const width = widthOfTable(table, columns);
  const isLinked = (column: Column<T>, index: number) =>
    linked === undefined ? index === 0 : linked === column.name;
  return (
    <>
      <tr data-row={row.id}>
        {selection && (
          <td className={styles.check}>
            <RowBox selection={selection} row={row} name={name} />
          </td>
        )}
        {expand && (
          <td className={styles.check}>
            <Unfold open={isOpen} name={name} onToggle={onToggle} />
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
            <Cell
              row={row}
              column={column}
              table={table}
              to={isLinked(column, index) ? link?.(row) : undefined}
            />
          </td>
        ))}
        {actions && (
          <td className={styles.actions}>
            <RowActions actions={actions(row)} name={name} phone={phone} />
          </td>
        )}
      </tr>
      {expand && isOpen && (
        <tr className={styles.expanded}>
          <td colSpan={width}>{expand(row)}</td>
        </tr>
      )}
    </>
  );
}
