import type { Resource } from '@sallyport/contract';
import type { StoredRow, Values } from './hooks.ts';

/** What the operate log shows in the place of a secret. */
const MASK = '******';
/** For a longer list of links only its length is recorded. */
const MAX_LISTED = 50;

/** What a row that is deleted held, field by field. */
export function lostWith(
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

/** What a change did, field by field, before and after. Secrets are masked; computed fields follow from others and are left out. */
export function changesBetween(
  resource: Resource,
  before: StoredRow | undefined,
  after: StoredRow,
  given: Values,
): Record<string, readonly [unknown, unknown]> {
  const changes: Record<string, readonly [unknown, unknown]> = {};
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.kind === 'secret') {
      if (given[name]) changes[name] = [before ? MASK : null, MASK];
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
