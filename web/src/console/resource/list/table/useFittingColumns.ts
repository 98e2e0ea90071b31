import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
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

const NONE: ReadonlySet<string> = new Set();

interface FittingOptions<T> {
  readonly box: RefObject<HTMLElement | null>;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly unknown[];
  readonly chosen: boolean;
  readonly widths: Readonly<Record<string, number>>;
  readonly onFit?: ((names: readonly string[]) => void) | undefined;
}

/**
 * Returns the columns that fit. Overflowing columns are removed before the first paint; a wider box
 * is measured again. `rows` trigger a new measurement; `onFit` receives the names of the visible
 * columns. Columns chosen by the user all stay visible, and the table scrolls.
 */
export function useFittingColumns<T>({
  box,
  columns,
  rows,
  chosen,
  widths,
  onFit,
}: FittingOptions<T>): readonly Column<T>[] {
  const [width, setWidth] = useState(0);
  const [left, setLeft] = useState<{ readonly key: string; readonly names: ReadonlySet<string> }>({
    key: '',
    names: NONE,
  });
  const key = `${width} ${chosen} ${columns.map(({ name }) => `${name}${widths[name] ?? ''}`).join()}`;
  const names = left.key === key ? left.names : NONE;
  const visible = names.size === 0 ? columns : columns.filter(({ name }) => !names.has(name));

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows decide how wide the columns are
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    // The fixed columns shrink before a column is removed.
    element.removeAttribute('data-tight');
    const isTight = element.scrollWidth > element.clientWidth;
    element.toggleAttribute('data-tight', isTight);
    const excess = element.scrollWidth - element.clientWidth;
    element.toggleAttribute('data-wide', excess > 0);
    if (chosen || excess <= 0) return;
    const widths = new Map(
      [...element.querySelectorAll<HTMLElement>('th[data-column]')].map((head) => [
        head.dataset.column,
        head.offsetWidth,
      ]),
    );
    const more = columnsToLeaveOut(visible, excess, (name) => widths.get(name) ?? 0);
    if (more.length > 0) setLeft({ key, names: new Set([...names, ...more]) });
  }, [key, rows, visible.length]);

  const shownNames = visible.map(({ name }) => name).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: called once for each set of columns
  useEffect(() => onFit?.(shownNames.split(',')), [shownNames]);

  return visible;
}
