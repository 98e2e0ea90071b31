/** A row of a table with its place in a tree: how deep, whether it has rows below it. */
export interface PlacedRow<T> {
  readonly row: T;
  readonly depth: number;
  readonly parent: boolean;
}

interface Branch {
  readonly id: string;
  readonly children?: unknown;
  readonly parentId?: unknown;
}

const childrenOf = <T>(row: T & Branch): readonly (T & Branch)[] => (Array.isArray(row.children) ? (row.children as readonly (T & Branch)[]) : []);

/** Whether rows are a tree: some carry their children, or name a parent among them (specification §3). */
export function isTree(rows: readonly Branch[]): boolean {
  const ids = new Set(rows.map(({ id }) => id));
  return rows.some((row) => childrenOf(row).length > 0 || (typeof row.parentId === 'string' && ids.has(row.parentId)));
}

/** The rows of a tree that can be seen, in their order: all at the top, and those below an open one. Rows whose parent is not there stand at the top. */
export function placeRows<T extends { readonly id: string }>(rows: readonly T[], open: ReadonlySet<string>): PlacedRow<T>[] {
  const branches = rows as readonly (T & Branch)[];
  const ids = new Set(branches.map(({ id }) => id));
  const below = Map.groupBy(branches, ({ parentId }) => (typeof parentId === 'string' && ids.has(parentId) ? parentId : ''));
  const placed: PlacedRow<T>[] = [];
  const seen = new Set<string>();
  function place(row: T & Branch, depth: number) {
    // A row that is its own ancestor would never end.
    if (seen.has(row.id)) return;
    seen.add(row.id);
    const children = [...childrenOf<T>(row), ...(below.get(row.id) ?? [])];
    placed.push({ row, depth, parent: children.length > 0 });
    if (open.has(row.id)) for (const child of children) place(child, depth + 1);
  }
  for (const row of below.get('') ?? []) place(row, 0);
  return placed;
}
