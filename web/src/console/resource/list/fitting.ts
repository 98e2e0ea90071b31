import type { Column } from './columns.tsx';

type Candidate = Pick<Column<never>, 'name' | 'essential'>;

/**
 * Returns the columns to leave out to narrow a table by `excess` pixels, last ones first. The first
 * column and essential columns always stay. `widthOf` returns the current width of a column.
 */
export function columnsToLeaveOut(
  columns: readonly Candidate[],
  excess: number,
  widthOf: (name: string) => number,
): string[] {
  const left: string[] = [];
  let missing = excess;
  for (const { name, essential } of columns.slice(1).reverse()) {
    if (missing <= 0) break;
    if (essential) continue;
    left.push(name);
    missing -= widthOf(name);
  }
  return left;
}
