import type { Resource } from '@sallyport/contract';
import type { AuditEntry, MountedResource, StoredRow, Values } from '../hooks.ts';
import type { Item } from './plan.ts';

/** Replaces secrets in the operate log. */
const MASK = '******';
/** Maximum links in the operate log; of a longer list it records only the length. */
const MAX_LISTED = 50;

/** Returns the last values of a deleted row by field. */
function lastValues(
  resource: Resource,
  row: StoredRow,
): Record<string, readonly [unknown, unknown]> {
  const created = changesBetween(resource, undefined, row, {});
  return Object.fromEntries(
    Object.entries(created).flatMap(([name, [, value]]) =>
      isEmptyList(value) ? [] : [[name, [value, null] as const]],
    ),
  );
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/**
 * Returns the changed fields with their values before and after. Masks secrets and omits computed
 * fields.
 */
function changesBetween(
  resource: Resource,
  before: StoredRow | undefined,
  after: StoredRow,
  written: Values,
): Record<string, readonly [unknown, unknown]> {
  const changes: Record<string, readonly [unknown, unknown]> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind === 'secret') {
      if (written[name]) changes[name] = [before ? MASK : null, MASK];
    } else if (field.kind !== 'computed' && field.mode === 'readwrite' && field.kind !== 'id') {
      const pair = [short(before?.[name]), short(after[name])] as const;
      if (
        before
          ? JSON.stringify(before[name]) !== JSON.stringify(after[name])
          : pair[1] !== null && pair[1] !== ''
      )
        changes[name] = pair;
    }
  }
  return changes;
}

function short(value: unknown): unknown {
  if (Array.isArray(value) && value.length > MAX_LISTED)
    return [...value.slice(0, MAX_LISTED), `… ${value.length}`];
  return value ?? null;
}

type Rows = ReadonlyMap<string, StoredRow>;

const nameOf = ({ resource, hooks }: MountedResource, row: StoredRow): string =>
  hooks.describe?.(row) ?? String(row[resource.labelField] ?? row.id);

/** Saved items with their rows before and after. */
interface SavedRows {
  readonly items: readonly Item[];
  readonly before: Rows;
  readonly after: readonly StoredRow[];
  /** True if the write created a deleted object again. */
  readonly isRestored: boolean;
}

/** Returns the log entries of saved rows: fields before and after, in wire form. */
export function savedEntries(
  mounted: MountedResource,
  { items, before, after, isRestored }: SavedRows,
): AuditEntry[] {
  const created = isRestored ? 'restore' : 'create';
  const { resource } = mounted;
  return items.flatMap((item, index): AuditEntry[] => {
    const row = after[index];
    if (!row) return [];
    const changes = changesBetween(resource, before.get(item.id), row, item.values);
    // Skip updates without changes.
    if (item.previous && Object.keys(changes).length === 0) return [];
    return [
      { ...about(mounted, item.id, row), action: item.previous ? 'update' : created, changes },
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
