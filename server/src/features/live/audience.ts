import { allows, isUuid, Permission } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Caller } from '../../platform/actor.ts';
import type { Db } from '../../platform/db/database.ts';
import type { ResourceEngine } from '../../resources/engines.ts';
import { scopeOf } from '../../resources/scope.ts';
import type { ChangeNews } from '../audits/operate-log.ts';

const EVERYTHING = Permission.SUPER | Permission.ADMIN;

/**
 * What a caller may hear of some news: nothing, all of it, that the resource changed, or what a
 * query finds among the ids.
 */
export type Hearing = 'nothing' | 'all' | 'that it changed' | 'what is visible';

/** Decides by role and organization, without a query. */
export function hearingOf(
  engine: ResourceEngine | undefined,
  news: ChangeNews,
  { actor }: Pick<Caller, 'actor'>,
): Hearing {
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
  // What is gone cannot be asked for any more; those who oversee an organization hear of what was
  // done there.
  const oversees =
    allows(actor.permissions, Permission.ADMIN) || allows(actor.permissions, Permission.AUDIT);
  return isHere && oversees && resource.scope !== 'own' ? 'that it changed' : 'what is visible';
}

/** Those of some ids that a caller may know of. */
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
