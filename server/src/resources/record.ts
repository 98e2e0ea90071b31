import { changesBetween, lostWith } from './changes.ts';
import type { AuditEntry, MountedResource, StoredRow } from './hooks.ts';
import type { Item } from './plan.ts';

type Rows = ReadonlyMap<string, StoredRow>;

/** How the operate log names a row. */
const nameOf = ({ resource, hooks }: MountedResource, row: StoredRow): string =>
  hooks.describe?.(row) ?? String(row[resource.labelField] ?? row.id);

/** The entries of what was saved: by field, before and after, in wire form. */
export function savedEntries(
  mounted: MountedResource,
  items: readonly Item[],
  before: Rows,
  after: readonly StoredRow[],
): AuditEntry[] {
  const { resource } = mounted;
  return items.flatMap((item, index): AuditEntry[] => {
    const row = after[index];
    if (!row) return [];
    const changes = changesBetween(resource, before.get(item.id), row, item.values);
    // A change that changed nothing is no news.
    if (item.previous && Object.keys(changes).length === 0) return [];
    return [
      { ...about(mounted, item.id, row), action: item.previous ? 'update' : 'create', changes },
    ];
  });
}

/** The entries of rows that were deleted, with what they held. */
export function deletedEntries(mounted: MountedResource, locked: Rows, held: Rows): AuditEntry[] {
  return [...locked].map(([id, row]) => {
    const shown = held.get(id);
    return {
      ...about(mounted, id, row),
      action: 'delete' as const,
      ...(shown && { changes: lostWith(mounted.resource, shown) }),
    };
  });
}

function about(
  mounted: MountedResource,
  id: string,
  row: StoredRow,
): Pick<AuditEntry, 'resourceType' | 'resource' | 'resourceId'> {
  return { resourceType: mounted.resource.name, resource: nameOf(mounted, row), resourceId: id };
}

/** Rows by their ids. */
export function byId(rows: readonly StoredRow[]): Map<string, StoredRow> {
  return new Map(rows.map((row) => [String(row.id), row]));
}
