import type { Resource } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../platform/actor.ts';
import { columnOf } from './columns.ts';
import type { MountedResource, Sql } from './hooks.ts';

/** Joins conditions with `and`; none is `true`. */
export function allOf(conditions: readonly (Sql | undefined)[]): Sql {
  const present = conditions.filter((condition): condition is Sql => condition !== undefined);
  return present.length === 0 ? sql`true` : sql`(${sql.join(present, sql` and `)})`;
}

/**
 * The rows of a resource that a caller may know of, over alias `t`: its organization's, or its own, or all of a global resource, and within
 * them what the resource itself shows. Every query of the engine has this condition, next to (never inside) the caller's own conditions.
 */
export function scopeOf({ resource, hooks }: MountedResource, caller: Caller): Sql {
  return allOf([belonging(resource, caller), below(resource, caller), hooks.visible?.(caller)]);
}

/** The rows that a list may show: those of {@link scopeOf}, unless the resource has lists that show more. */
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

/** The rows below the object that a path names. */
function below({ name, parent, fields }: Resource, { within = {} }: Caller): Sql | undefined {
  const field = parent && fields[parent.field];
  const id = within[name];
  return parent && field && id !== undefined
    ? sql`${sql.ref(`t.${columnOf(parent.field, field)}`)} = ${id}`
    : undefined;
}

/** The rows that a field of a resource may link to, over alias `t` of the target. */
export function targetScopeOf(
  { hooks }: MountedResource,
  field: string,
  target: MountedResource,
  caller: Caller,
): Sql {
  return hooks.wholeLinks?.includes(field) ? sql`true` : scopeOf(target, caller);
}
