import type { GeneralObstacle, Obstacle } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { ASSETS, type GrantKind, linksOf, type RuleScope, ruleIn } from './kind.ts';
import { namingUsers } from './paths.ts';

/** A permission that fails to grant a target to a user, with all obstacles. */
export interface NearMiss {
  readonly id: string;
  readonly name: string;
  readonly date_start: Date;
  readonly date_expired: Date;
  readonly obstacles: readonly Obstacle[];
}

/** Maximum number of permissions in an answer. */
const MOST_NAMED = 5;

/** Obstacles that do not depend on permissions: a disabled or expired user, a disabled target. */
export async function generalObstacles(
  userId: string,
  targetId: string,
  db: Db,
  kind: GrantKind = ASSETS,
): Promise<GeneralObstacle[]> {
  const { rows } = await sql<{ obstacles: GeneralObstacle[] }>`
    select array_remove(array[
      case when not u.is_active then 'user_disabled' end,
      case when u.date_expired <= now() then 'user_expired' end,
      case when not ${kind.isUsable} then 'asset_disabled' end], null) as obstacles
    from account u, ${sql.table(kind.target)} a
    where u.id = ${userId} and a.id = ${targetId}`.execute(db);
  return rows[0]?.obstacles ?? [];
}

/**
 * Permissions of an organization that come closest to granting a target to a user: those that name
 * the user or reach the target. Fewest obstacles come first. Among equals, a disabled or expired
 * permission comes before one that lacks the user or the target.
 */
export async function nearestPermissions(
  userId: string,
  targetId: string,
  { organization, kind = ASSETS }: RuleScope,
  db: Db,
): Promise<NearMiss[]> {
  const { rows } = await sql<NearMiss>`
    with naming as materialized (
      select distinct named.rule_id as id from ${namingUsers([userId], kind)}
    ), reaching as materialized (
      select distinct place.rule_id as id
      from (${kind.places((id) => sql`${id} = ${targetId}`)}) place
    ), judged as (
      select p.id, p.name, p.date_start, p.date_expired, array_remove(array[
        case when not p.is_active then 'disabled' end,
        case when p.date_start > now() then 'not_started' end,
        case when p.date_expired <= now() then 'expired' end,
        case when p.id not in (select id from naming) then 'user' end,
        case when p.id not in (select id from reaching) then 'asset' end,
        case when not exists (
          select 1 from ${linksOf(kind, 'system_users')} link
            join system_account s on s.id = link.system_user_id
          join ${sql.table(kind.target)} a on a.id = ${targetId}
          where ${ruleIn(kind, 'link')} = p.id and ${kind.isOffered}) then 'protocol' end],
            null) as obstacles
      from ${sql.table(kind.rule)} p where p.org_id = ${organization}
        and p.id in (select id from naming union select id from reaching)
    )
    select * from judged where cardinality(obstacles) > 0
    order by cardinality(obstacles), 'asset' = any (obstacles), 'user' = any (obstacles),
      date_expired desc, name, id limit ${MOST_NAMED}`.execute(db);
  return rows;
}
