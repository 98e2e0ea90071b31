import { databaseClock } from '../../../platform/clock.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { IN_FORCE } from '../grants/coverage.ts';
import { ASSETS, CLUSTERS, DATABASE_APPS, type GrantKind, REMOTE_APPS } from '../grants/kind.ts';
import type { Plan } from '../what-if/plan.ts';
import type { PlannedChange } from './change.ts';

/** Kinds of target by the resource of their permissions. */
const KINDS = {
  asset_permission: ASSETS,
  remote_app_permission: REMOTE_APPS,
  database_app_permission: DATABASE_APPS,
  cluster_permission: CLUSTERS,
} as const;

/** Translates an action into a change of grants; undefined if the action changes none. */
export async function planOf(resource: string, change: PlannedChange): Promise<Plan | undefined> {
  const { action, ids, users, target, caller } = change;
  const organizationId = caller.actor.organization.id;
  switch (resource) {
    case 'asset_permission':
    case 'remote_app_permission':
    case 'database_app_permission':
    case 'cluster_permission': {
      const kind = KINDS[resource];
      if (action === 'save')
        return { organizationId, kind, gone: ids, ...(await plannedPermission(change, kind)) };
      return { organizationId, kind, ...(action === 'enable' ? { enabled: ids } : { gone: ids }) };
    }
    case 'user_group': {
      const members = action === 'delete' || action === 'save' ? await membersOf(change) : [];
      const joining =
        action === 'save'
          ? users.filter((id) => !members.includes(id))
          : action === 'add_members'
            ? users
            : [];
      const leaving =
        action === 'save'
          ? members.filter((id) => !users.includes(id))
          : action === 'delete'
            ? members
            : action === 'remove_members'
              ? users
              : [];
      return { organizationId, members: { groups: ids, joining, leaving } };
    }
    case 'node':
      return action === 'move' ? { organizationId, moved: { nodes: ids, target } } : undefined;
    default:
      return undefined;
  }
}

/**
 * The saved permission, if it will be in force. A permission that begins later is compared as of
 * its start. If one in force is replaced by a later one, only the loss counts.
 */
async function plannedPermission(
  { terms, users, ids, db }: PlannedChange,
  kind: GrantKind,
): Promise<Pick<Plan, 'planned' | 'at'>> {
  const now = databaseClock.date();
  if (!terms?.is_active || terms.date_expired <= now || terms.date_expired <= terms.date_start)
    return {};
  const beginsLater = terms.date_start > now;
  if (
    beginsLater &&
    (
      await sql`select 1 from ${sql.table(kind.rule)} p
        where p.id = any (${ids}::uuid[]) and ${IN_FORCE}`.execute(db)
    ).rows.length > 0
  )
    return {};
  const { user_groups, assets, nodes, system_users, date_expired: until } = terms;
  return {
    planned: { users, user_groups, assets, nodes, system_users, mask: kind.maskOf(terms), until },
    ...(beginsLater && { at: terms.date_start }),
  };
}

async function membersOf({ ids, db }: PlannedChange): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct member.user_id as id from user_group_users member
    where member.user_group_id = any (${ids}::uuid[])`.execute(db);
  return rows.map(({ id }) => id);
}

/** True if a planned permission allows an open session (alias `s`). */
export function allowedBy({ planned, at }: Plan): Sql {
  if (!planned || at) return sql`false`;
  const { users, user_groups, assets, nodes, system_users } = planned;
  return sql`(s.system_user_uuid = any (${system_users}::uuid[])
    and (s.user_uuid = any (${users}::uuid[])
      or s.user_uuid in (select member.user_id from user_group_users member
        where member.user_group_id = any (${user_groups}::uuid[])))
    and (s.asset_uuid = any (${assets}::uuid[])
      or exists (select 1 from asset_ancestor above
        where above.asset_id = s.asset_uuid and above.node_id = any (${nodes}::uuid[]))))`;
}
