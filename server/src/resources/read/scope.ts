import { type AttentionKind, isUuid, type Resource } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { invalid } from '../../platform/errors.ts';
import type { MountedResource } from '../hooks.ts';
import { columnOf } from './columns.ts';

/** Conditions (over alias `t`) for rows of one resource that need attention, by kind. */
export type AttentionConditions = Readonly<
  Partial<Record<AttentionKind, (caller: Pick<Caller, 'actor'>) => Sql>>
>;

/**
 * The list filter `attention`; it matches the rows that the start page counts. @throws Invalid for
 * a kind that the resource does not have
 */
export const attentionFilter =
  (kinds: AttentionConditions) =>
  (value: string, caller: Caller): Sql => {
    const condition = new Map(Object.entries(kinds)).get(value);
    if (!condition) throw invalid('attention', 'not_choice', { value: value.slice(0, 64) });
    return condition(caller);
  };

/** A list filter by a column with ids. Compared as texts, they would not use its index. */
export const idFilter =
  (column: string) =>
  (value: string): Sql =>
    isUuid(value) ? sql`${sql.ref(`t.${column}`)} = ${value}::uuid` : sql`false`;

/** Joins conditions with `and`; an empty list is `true`. */
export function allOf(conditions: readonly (Sql | undefined)[]): Sql {
  const present = conditions.filter((condition): condition is Sql => condition !== undefined);
  return present.length === 0 ? sql`true` : sql`(${sql.join(present, sql` and `)})`;
}

/**
 * Returns the condition for rows (alias `t`) that a caller may see: by organization, owner and the
 * hook `visible`. Every query of the engine combines it by `and` with the caller's conditions.
 */
export function scopeOf({ resource, hooks }: MountedResource, caller: Caller): Sql {
  return allOf([belonging(resource, caller), below(resource, caller), hooks.visible?.(caller)]);
}

/** Returns the condition for rows in lists: {@link scopeOf}, unless a hook replaces it. */
export function listScopeOf(
  { resource, hooks }: MountedResource,
  query: URLSearchParams,
  caller: Caller,
): Sql {
  return allOf([
    belonging(resource, caller),
    below(resource, caller),
    hooks.visibleInList?.(caller, query) ?? hooks.visible?.(caller),
  ]);
}

function belonging(resource: Resource, caller: Caller): Sql | undefined {
  return {
    org: () => sql`t.org_id = ${caller.actor.organization.id}`,
    own: () => sql`t.user_id = ${caller.actor.userId}`,
    global: () => undefined,
  }[resource.scope]();
}

/** Returns the condition for rows below the object in the path. */
function below({ name, parent, fields }: Resource, { within = {} }: Caller): Sql | undefined {
  const field = parent && fields[parent.field];
  const id = within[name];
  return parent && field && id !== undefined
    ? sql`${sql.ref(`t.${columnOf(parent.field, field)}`)} = ${id}`
    : undefined;
}

/** Returns the condition for rows (alias `t`) that a field may link to. */
export function targetScopeOf(
  { hooks }: MountedResource,
  field: string,
  target: MountedResource,
  caller: Caller,
): Sql {
  return hooks.wholeLinks?.includes(field) ? sql`true` : scopeOf(target, caller);
}
