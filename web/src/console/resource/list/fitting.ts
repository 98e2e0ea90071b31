import type { Column } from './columns.tsx';

type Candidate = Pick<Column<never>, 'name' | 'essential'>;

/**
 * The columns to leave out so that a table gets narrower by `excess` pixels: the last ones first, as lists begin with what matters. The
 * first column and those that are essential always stay. `widthOf` tells how wide a column is now.
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
