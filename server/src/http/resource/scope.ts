import type { Resource } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import type { MountedResource, Sql } from './hooks.ts';

/** Joins conditions with `and`; none is `true`. */
export function allOf(conditions: readonly (Sql | undefined)[]): Sql {
  const present = conditions.filter((condition): condition is Sql => condition !== undefined);
  return present.length === 0 ? sql`true` : sql`(${sql.join(present, sql` and `)})`;
}

/**
 * The rows of a resource that a caller may know of, over alias `t`: its organization's, or its own, or all of a global resource, and within
 * them what the resource itself shows. Every query of the engine has this condition, beside (never inside) what the caller asked for.
 */
export function scopeOf({ resource, hooks }: MountedResource, context: Context): Sql {
  return allOf([belonging(resource, context), hooks.visible?.(context)]);
}

/** The rows that a list may show: those of {@link scopeOf}, unless the resource has lists that show more. */
export function listScopeOf({ resource, hooks }: MountedResource, context: Context): Sql {
  return allOf([belonging(resource, context), hooks.visibleInList?.(context) ?? hooks.visible?.(context)]);
}

function belonging(resource: Resource, context: Context): Sql | undefined {
  return {
    org: () => sql`t.org_id = ${context.actor.organization.id}`,
    own: () => sql`t.user_id = ${context.actor.userId}`,
    global: () => undefined,
  }[resource.scope]();
}

/** The rows that a field of a resource may link to, over alias `t` of the target. */
export function targetScopeOf({ hooks }: MountedResource, field: string, target: MountedResource, context: Context): Sql {
  return hooks.wholeLinks?.includes(field) ? sql`true` : scopeOf(target, context);
}
