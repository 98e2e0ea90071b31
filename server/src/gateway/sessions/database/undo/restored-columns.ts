import type { Sliced } from '../../../../platform/slices.ts';
import type { Row } from '../result-spool.ts';
import { NoUndo } from './undo-reader.ts';
import { words } from './undo-words.ts';

/** A column that a script restores. Generated columns restore themselves. */
export interface RestoredColumn {
  /** Quoted if needed. */
  readonly name: string;
  readonly label: string;
  readonly isKey: boolean;
  /** True if another index than the primary key, or an exclusion, compares it between rows. */
  readonly isUnique: boolean;
  /** True if rows of other tables follow its changes. */
  readonly cascades: boolean;
}

/** Rows per INSERT of a script. */
const ROWS_OF_INSERT = 100;

/** Inserts rows, `size` at once; `into` is the statement up to VALUES. */
export function* insertStatements(
  into: string,
  rows: readonly Row[],
  {
    size = ROWS_OF_INSERT,
    literals,
  }: { readonly size?: number; readonly literals: (row: Row) => readonly string[] },
): Sliced<string[]> {
  const statements: string[] = [];
  for (let from = 0; from < rows.length; from += size) {
    const lines: string[] = [];
    for (const row of rows.slice(from, from + size)) {
      lines.push(`  (${literals(row).join(', ')})`);
      yield;
    }
    statements.push(`${into}\n${lines.join(',\n')};`);
  }
  return statements;
}

export const keyOf = (columns: readonly RestoredColumn[], row: Row): Row =>
  row.filter((_value, at) => columns[at]?.isKey);

/** Pairs each old row with the present row of the same key. */
export function pairByKey(
  columns: readonly RestoredColumn[],
  old: readonly Row[],
  present: readonly Row[],
): (readonly [before: Row, after: Row | undefined])[] {
  const nameOf = (row: Row) => JSON.stringify(keyOf(columns, row));
  const rows = new Map(present.map((row) => [nameOf(row), row]));
  return old.map((row) => [row, rows.get(nameOf(row))]);
}

/** Returns the changed columns of one of `count` rows. @throws NoUndo if they cannot be set back */
export function changedColumns<Column extends RestoredColumn>(
  columns: readonly Column[],
  [before, after]: readonly [before: Row, after: Row | undefined],
  count: number,
): Column[] {
  if (!after) throw new NoUndo(words.keyChanges);
  const changed = columns.filter((_column, at) => before[at] !== after[at]);
  for (const column of changed) {
    if (column.isKey) throw new NoUndo(words.keyChanges);
    if (column.cascades) throw new NoUndo(words.cascades);
    if (column.isUnique && count > 1) throw new NoUndo(words.uniqueChanges, { name: column.label });
  }
  return changed;
}
