import type { GeneralObstacle, Obstacle } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';

/** A permission that does not grant an asset to a user, with everything that is in its way. */
export interface NearMiss {
  readonly id: string;
  readonly name: string;
  readonly date_start: Date;
  readonly date_expired: Date;
  readonly obstacles: readonly Obstacle[];
}

/** How many permissions an answer names at the most. */
const MOST_NAMED = 5;

/** What is in the way of a user on an asset whatever the permissions say. */
export async function generalObstacles(userId: string, assetId: string, db: Db): Promise<GeneralObstacle[]> {
  const { rows } = await sql<{ obstacles: GeneralObstacle[] }>`
    select array_remove(array[
      case when not u.is_active then 'user_disabled' end,
      case when u.date_expired <= now() then 'user_expired' end,
      case when not a.is_active then 'asset_disabled' end], null) as obstacles
    from account u, asset a where u.id = ${userId} and a.id = ${assetId}`.execute(db);
  return rows[0]?.obstacles ?? [];
}

/**
 * The permissions of an organization that come nearest to granting an asset to a user: those that name the user, directly or by a group, or reach
 * the asset, directly or by a node. Those with the fewest obstacles come first; of these, what only needs a switch or a date comes before what
 * would give a person or an asset more than today.
 */
export async function nearestPermissions(userId: string, assetId: string, organizationId: string, db: Db): Promise<NearMiss[]> {
  const { rows } = await sql<NearMiss>`
    with naming as materialized (
      select link.asset_permission_id as id from asset_permission_users link where link.user_id = ${userId}
      union
      select link.asset_permission_id from user_group_users member join asset_permission_user_groups link on link.user_group_id = member.user_group_id
      where member.user_id = ${userId}
    ), reaching as materialized (
      select link.asset_permission_id as id from asset_permission_assets link where link.asset_id = ${assetId}
      union
      select link.asset_permission_id from asset_ancestor above join asset_permission_nodes link on link.node_id = above.node_id where above.asset_id = ${assetId}
    ), judged as (
      select p.id, p.name, p.date_start, p.date_expired, array_remove(array[
        case when not p.is_active then 'disabled' end,
        case when p.date_start > now() then 'not_started' end,
        case when p.date_expired <= now() then 'expired' end,
        case when p.id not in (select id from naming) then 'user' end,
        case when p.id not in (select id from reaching) then 'asset' end,
        case when not exists (
          select 1 from asset_permission_system_users link join system_account s on s.id = link.system_user_id
            join asset a on a.id = ${assetId} join unnest(a.protocols) offered on split_part(offered, '/', 1) = s.protocol
          where link.asset_permission_id = p.id) then 'protocol' end], null) as obstacles
      from asset_permission p where p.org_id = ${organizationId} and p.id in (select id from naming union select id from reaching)
    )
    select * from judged where cardinality(obstacles) > 0
    order by cardinality(obstacles), 'asset' = any (obstacles), 'user' = any (obstacles), date_expired desc, name, id limit ${MOST_NAMED}`.execute(db);
  return rows;
}
