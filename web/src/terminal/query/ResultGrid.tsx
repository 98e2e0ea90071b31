// biome-ignore-all lint/suspicious/noArrayIndexKey: names may repeat; the order is fixed
// biome-ignore-all lint/a11y/useSemanticElements: virtual rows cannot be those of a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid is focused and names the active cell
import { type CSSProperties, type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { copyText } from '../../kit/clipboard.ts';
import { toast } from '../../kit/dialogs/toast.tsx';
import { t } from '../../kit/i18n/index.ts';
import styles from './Query.module.css';
import type { QueryConnection } from './query-connection.ts';
import type { Outcome } from './query-state.ts';
import { useGrid } from './useGrid.ts';
import { words } from './words.ts';

const ROW = 26;
const CHARACTER = 7.6;
const NARROWEST = 72;
const WIDEST = 360;
/** Rows measured for the column widths, and maximum copied rows. */
const MEASURED = 50;
const MOST_COPIED = 10_000;
const NUMBER = /^(?:int|float|numeric|decimal|double|bigint|smallint|tinyint|mediumint|oid|money)/;

interface Cell {
  readonly row: number;
  readonly column: number;
}

interface Props {
  readonly connection: QueryConnection;
  readonly outcome: Outcome & { readonly result: number };
  readonly label: string;
}

/** A cell as text between tabs. */
const plain = (value: string | null): string =>
  value === null ? '' : value.replace(/[\t\r\n]+/g, ' ');

/** The widths of the columns in pixels, measured in the first rows. */
function useColumnWidths(connection: QueryConnection, outcome: Props['outcome'], count: number) {
  const { result, columns } = outcome;
  const hasRows = count > 0 && connection.row(result, 0) !== undefined;
  const widths = useMemo(() => {
    const lengths = columns.map(({ name, type }) => Math.max(name.length + type.length + 2, 6));
    for (let row = 0; hasRows && row < Math.min(count, MEASURED); row++) {
      for (const [at, value] of (connection.row(result, row) ?? []).entries())
        lengths[at] = Math.max(lengths[at] ?? 0, (value ?? 'NULL').length);
    }
    return lengths.map((length) =>
      Math.min(WIDEST, Math.max(NARROWEST, Math.round(length * CHARACTER) + 20)),
    );
  }, [columns, connection, result, count, hasRows]);
  const numbers = Math.max(48, String(count).length * 9 + 24);
  return {
    gridTemplateColumns: `${numbers}px ${widths.map((width) => `${width}px`).join(' ')}`,
    width: numbers + widths.reduce((sum, one) => sum + one, 0),
  };
}

/** The active cell, and the selected rectangle between it and its anchor. */
function useCells(count: number, columns: number, scrollTo: (row: number) => void) {
  const id = useId();
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<Cell>({ row: 0, column: 0 });
  const from = {
    row: Math.min(active.row, anchor.row),
    column: Math.min(active.column, anchor.column),
  };
  const to = {
    row: Math.max(active.row, anchor.row),
    column: Math.max(active.column, anchor.column),
  };
  return {
    active,
    from,
    to,
    idOf: (row: number, column: number) => `${id}-${row}-${column}`,
    isActive: (row: number, column: number) => active.row === row && active.column === column,
    isSelected: (row: number, column: number) =>
      row >= from.row && row <= to.row && column >= from.column && column <= to.column,
    go: (row: number, column: number, isExtending: boolean) => {
      const next = {
        row: Math.min(Math.max(row, 0), Math.max(0, count - 1)),
        column: Math.min(Math.max(column, 0), columns - 1),
      };
      setActive(next);
      if (!isExtending) setAnchor(next);
      scrollTo(next.row);
    },
    selectAll: () => {
      setAnchor({ row: 0, column: 0 });
      setActive({ row: Math.max(0, count - 1), column: columns - 1 });
    },
  };
}

type Cells = ReturnType<typeof useCells>;

/** Copies the loaded cells of a rectangle, with tabs between them. */
async function copyCells(connection: QueryConnection, result: number, { from, to }: Cells) {
  const lines: string[] = [];
  for (let row = from.row; row <= Math.min(to.row, from.row + MOST_COPIED); row++) {
    const values = connection.row(result, row);
    if (values)
      lines.push(
        values
          .slice(from.column, to.column + 1)
          .map(plain)
          .join('\t'),
      );
  }
  if (await copyText(lines.join('\n'))) toast.success(t(words.copied));
  else toast.error(t(words.copyFailed));
}

interface GridRowProps {
  readonly row: number;
  readonly columns: Outcome['columns'];
  /** Undefined while the row is loading. */
  readonly values: readonly (string | null)[] | undefined;
  readonly cells: Cells;
  readonly style: CSSProperties;
}

function GridRow({ row, columns, values, cells, style }: GridRowProps) {
  return (
    <div role="row" aria-rowindex={row + 2} className={styles.gridRow} style={style}>
      <span role="rowheader" className={styles.rowNumber}>
        {row + 1}
      </span>
      {columns.map(({ name, type }, column) => {
        const value = values?.[column];
        return (
          <span
            key={`${name} ${column}`}
            id={cells.idOf(row, column)}
            role="gridcell"
            aria-selected={cells.isSelected(row, column)}
            data-active={cells.isActive(row, column) || undefined}
            data-null={value === null || undefined}
            data-number={NUMBER.test(type) || undefined}
            className={styles.cell}
            title={value ?? undefined}
            onPointerDown={(event) => cells.go(row, column, event.shiftKey)}
          >
            {value === undefined ? '…' : value === null ? 'NULL' : value}
          </span>
        );
      })}
    </div>
  );
}

/** A result of any length. Loads and draws only the visible rows. */
export function ResultGrid({ connection, outcome, label }: Props) {
  const { result, columns } = outcome;
  const scroller = useRef<HTMLDivElement>(null);
  const count = outcome.rows ?? 0;
  const grid = useGrid(scroller, count, ROW, ROW);
  const widths = useColumnWidths(connection, outcome, count);
  const cells = useCells(count, columns.length, grid.scrollTo);

  const onKeyDown = (event: KeyboardEvent) => {
    const { row, column } = cells.active;
    const isFar = event.ctrlKey || event.metaKey;
    const moves: Readonly<Record<string, readonly [number, number]>> = {
      ArrowDown: [isFar ? count - 1 : row + 1, column],
      ArrowUp: [isFar ? 0 : row - 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageDown: [row + grid.rowsInView, column],
      PageUp: [row - grid.rowsInView, column],
      Home: isFar ? [0, 0] : [row, 0],
      End: isFar ? [count - 1, columns.length - 1] : [row, columns.length - 1],
    };
    const move = moves[event.key];
    if (move) cells.go(move[0], move[1], event.shiftKey);
    else if (isFar && event.key.toLowerCase() === 'c') void copyCells(connection, result, cells);
    else if (isFar && event.key.toLowerCase() === 'a') cells.selectAll();
    else return;
    event.preventDefault();
  };

  const drawn = [];
  for (let row = grid.first; row <= grid.last; row++) {
    drawn.push(
      <GridRow
        key={row}
        row={row}
        columns={columns}
        values={connection.row(result, row)}
        cells={cells}
        style={{ ...widths, top: grid.topOf(row) }}
      />,
    );
  }
  return (
    <div
      ref={scroller}
      role="grid"
      tabIndex={0}
      aria-label={`${label}. ${t(words.gridHelp)}`}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={
        count > 0 ? cells.idOf(cells.active.row, cells.active.column) : undefined
      }
      className={styles.grid}
      data-marked="under"
      onKeyDown={onKeyDown}
    >
      <div role="row" aria-rowindex={1} className={styles.gridHead} style={widths}>
        <span role="columnheader" className={styles.rowNumber}>
          #
        </span>
        {columns.map(({ name, type }, column) => (
          <span
            key={`${name} ${column}`}
            role="columnheader"
            className={styles.headCell}
            title={`${name} ${type}`}
          >
            {name} <small>{type}</small>
          </span>
        ))}
      </div>
      <div
        role="presentation"
        className={styles.gridBody}
        style={{ height: grid.height, width: widths.width }}
      >
        {drawn}
      </div>
    </div>
  );
}
