import type { Resource } from '@sallyport/contract';
import type { StoredRow, Values } from '../hooks.ts';

/** Replaces secrets in the operate log. */
const MASK = '******';
/** Maximum links in the operate log; of a longer list it records only the length. */
const MAX_LISTED = 50;

/** Returns the last values of a deleted row by field. */
export function lastValues(
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
export function changesBetween(
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
