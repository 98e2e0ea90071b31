// biome-ignore-all lint/suspicious/noArrayIndexKey: names may repeat; the order is fixed
// biome-ignore-all lint/a11y/useSemanticElements: virtual rows cannot be those of a table
// biome-ignore-all lint/a11y/useFocusableInteractive: the grid is focused and names the active cell
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
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

/** A result of any length. Loads and draws only the visible rows. */
export function ResultGrid({ connection, outcome: { result, columns, rows }, label }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const count = rows ?? 0;
  const [active, setActive] = useState<Cell>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<Cell>({ row: 0, column: 0 });
  const grid = useGrid(scroller, count, ROW, ROW);
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
  const template = `${numbers}px ${widths.map((width) => `${width}px`).join(' ')}`;
  const width = numbers + widths.reduce((sum, one) => sum + one, 0);

  const from = {
    row: Math.min(active.row, anchor.row),
    column: Math.min(active.column, anchor.column),
  };
  const to = {
    row: Math.max(active.row, anchor.row),
    column: Math.max(active.column, anchor.column),
  };
  const isSelected = (row: number, column: number) =>
    row >= from.row && row <= to.row && column >= from.column && column <= to.column;
  const cellId = (row: number, column: number) => `${id}-${row}-${column}`;

  const go = (row: number, column: number, isExtending: boolean) => {
    const next = {
      row: Math.min(Math.max(row, 0), Math.max(0, count - 1)),
      column: Math.min(Math.max(column, 0), columns.length - 1),
    };
    setActive(next);
    if (!isExtending) setAnchor(next);
    grid.scrollTo(next.row);
  };
  const copy = async () => {
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
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { row, column } = active;
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
    if (move) go(move[0], move[1], event.shiftKey);
    else if (isFar && event.key.toLowerCase() === 'c') void copy();
    else if (isFar && event.key.toLowerCase() === 'a') {
      setAnchor({ row: 0, column: 0 });
      setActive({ row: Math.max(0, count - 1), column: columns.length - 1 });
    } else return;
    event.preventDefault();
  };

  const drawn = [];
  for (let row = grid.first; row <= grid.last; row++) {
    const values = connection.row(result, row);
    drawn.push(
      <div
        key={row}
        role="row"
        aria-rowindex={row + 2}
        className={styles.gridRow}
        style={{ gridTemplateColumns: template, top: grid.topOf(row), width }}
      >
        <span role="rowheader" className={styles.rowNumber}>
          {row + 1}
        </span>
        {columns.map(({ name, type }, column) => {
          const value = values?.[column];
          return (
            <span
              key={`${name} ${column}`}
              id={cellId(row, column)}
              role="gridcell"
              aria-selected={isSelected(row, column)}
              data-active={(active.row === row && active.column === column) || undefined}
              data-null={value === null || undefined}
              data-number={NUMBER.test(type) || undefined}
              className={styles.cell}
              title={value ?? undefined}
              onPointerDown={(event) => go(row, column, event.shiftKey)}
            >
              {value === undefined ? '…' : value === null ? 'NULL' : value}
            </span>
          );
        })}
      </div>,
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
      aria-activedescendant={count > 0 ? cellId(active.row, active.column) : undefined}
      className={styles.grid}
      onKeyDown={onKeyDown}
    >
      <div
        role="row"
        aria-rowindex={1}
        className={styles.gridHead}
        style={{ gridTemplateColumns: template, width }}
      >
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
      <div role="presentation" className={styles.gridBody} style={{ height: grid.height, width }}>
        {drawn}
      </div>
    </div>
  );
}
