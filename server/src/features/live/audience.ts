import { allows, isUuid, Permission } from '@sallyport/contract';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/read/scope.ts';
import type { ChangeNews } from '../audits/index.ts';

const EVERYTHING = Permission.SUPER | Permission.ADMIN;

/**
 * The part of a change that a caller may learn: nothing, everything, only that the resource
 * changed, or the visible ids.
 */
export type Visibility = 'nothing' | 'all' | 'that it changed' | 'what is visible';

/** Decides by role and organization, without a query. */
export function visibilityOf(
  engine: ResourceEngine | undefined,
  news: ChangeNews,
  { actor }: Pick<Caller, 'actor'>,
): Visibility {
  if (!engine) return 'nothing';
  const { resource, hooks } = engine;
  if (resource.access.read === undefined || !allows(actor.permissions, resource.access.read))
    return 'nothing';
  const isHere = news.organization === actor.organization.id;
  if (resource.scope === 'org' && !isHere) return 'nothing';
  const isWhole = hooks.visible === undefined && resource.scope !== 'own';
  if (
    isWhole ||
    (resource.scope === 'global' &&
      allows(actor.permissions, EVERYTHING) &&
      actor.organization.id === '')
  )
    return 'all';
  // Deleted objects cannot be queried. Administrators and auditors of an organization learn of
  // changes there.
  const oversees =
    allows(actor.permissions, Permission.ADMIN) || allows(actor.permissions, Permission.AUDIT);
  return isHere && oversees && resource.scope !== 'own' ? 'that it changed' : 'what is visible';
}

/** Filters ids to those that the caller may know of. */
export async function visibleAmong(
  engine: ResourceEngine,
  ids: readonly string[],
  caller: Caller,
  db: Db,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select t.id from ${sql.table(engine.resource.table)} t
      where t.id = any (${ids.filter((id) => isUuid(id))}::uuid[])
      and ${scopeOf(engine, caller)}`.execute(db);
  return rows.map(({ id }) => id);
}
