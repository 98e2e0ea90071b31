import type { AuditEntry, MountedResource, StoredRow } from '../hooks.ts';
import { changesBetween, lastValues } from './changes.ts';
import type { Item } from './plan.ts';

type Rows = ReadonlyMap<string, StoredRow>;

const nameOf = ({ resource, hooks }: MountedResource, row: StoredRow): string =>
  hooks.describe?.(row) ?? String(row[resource.labelField] ?? row.id);

/** Returns the log entries of saved rows: fields before and after, in wire form. */
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
    // Skip updates without changes.
    if (item.previous && Object.keys(changes).length === 0) return [];
    return [
      { ...about(mounted, item.id, row), action: item.previous ? 'update' : 'create', changes },
    ];
  });
}

/** Returns the log entries of deleted rows with their last values. */
export function deletedEntries(mounted: MountedResource, locked: Rows, held: Rows): AuditEntry[] {
  return [...locked].map(([id, row]) => {
    const row_ = held.get(id);
    return {
      ...about(mounted, id, row),
      action: 'delete' as const,
      ...(row_ && { changes: lastValues(mounted.resource, row_) }),
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

export function byId(rows: readonly StoredRow[]): Map<string, StoredRow> {
  return new Map(rows.map((row) => [String(row.id), row]));
}
