import { assetPermission, type Consequence, session, user, userGroup } from '@sallyport/contract';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { datedAt, IN_FORCE } from '../grants/coverage.ts';
import type { GrantKind } from '../grants/kind.ts';
import { appPermissions } from './app-consequences.ts';
import type { PlannedChange } from './change.ts';
import { allowedBy } from './plans.ts';
import { kindsInUse, openSessionsOf, sessionsLosingGrant } from './sessions.ts';
import { consequence } from './store.ts';

/** Link tables of asset permissions by resource, with the column of the object. */
const LINKS: Readonly<Record<string, readonly [table: string, column: string]>> = {
  user: ['asset_permission_users', 'user_id'],
  user_group: ['asset_permission_user_groups', 'user_group_id'],
  asset: ['asset_permission_assets', 'asset_id'],
  node: ['asset_permission_nodes', 'node_id'],
  system_user: ['asset_permission_system_users', 'system_user_id'],
};

/** Permissions that name one of these objects directly. */
export function permissionsNaming(resource: keyof typeof LINKS, ids: readonly string[]): Sql {
  const [table, column] = LINKS[resource] ?? ['', ''];
  return sql`select link.asset_permission_id as id from ${sql.table(table)} link
    where ${sql.ref(`link.${column}`)} = any (${ids}::uuid[])`;
}

/**
 * Filters permissions to those in force. With `onceActive`, disabled ones within their dates count
 * as well.
 */
export function inForce(rules: Sql, onceActive = false): Sql {
  return sql`select p.id from asset_permission p
    where p.id in (${rules}) and ${onceActive ? datedAt(sql`now()`) : IN_FORCE}`;
}

/** Permissions in force that reach one of these assets with a system user that works there. */
export function permissionsReaching(assets: readonly string[]): Sql {
  return sql`
    select p.id from (
      select link.asset_permission_id as rule_id, link.asset_id from asset_permission_assets link
      where link.asset_id = any (${assets}::uuid[])
      union
      select link.asset_permission_id, above.asset_id from asset_ancestor above
        join asset_permission_nodes link on link.node_id = above.node_id
      where above.asset_id = any (${assets}::uuid[])
    ) place join asset_permission p on p.id = place.rule_id and ${IN_FORCE}
      join asset a on a.id = place.asset_id
    where exists (
      select 1 from asset_permission_system_users link
        join system_account s on s.id = link.system_user_id
      where link.asset_permission_id = p.id
        and exists (select 1 from unnest(a.protocols) offered
        where split_part(offered, '/', 1) = s.protocol))`;
}

/** Active users of these permissions, including those through groups. */
export function usersNamedBy(rules: Sql): Sql {
  return sql`
    select u.id from account u where u.is_active and coalesce(u.date_expired > now(), true)
      and u.id in (
      select link.user_id from asset_permission_users link
      where link.asset_permission_id in (${rules})
      union all
      select member.user_id from asset_permission_user_groups link
        join user_group_users member on member.user_group_id = link.user_group_id
      where link.asset_permission_id in (${rules}))`;
}

const organizationOf = ({ caller }: PlannedChange) => caller.actor.organization.id;

/**
 * Consequences of deleting, disabling or enabling users. `sees` states what the caller may know of
 * their accounts.
 */
export async function userConsequences(
  change: PlannedChange,
  sees: { readonly signIns: boolean; readonly keys: boolean },
): Promise<Consequence[]> {
  const { action, ids, caller } = change;
  const naming = () =>
    change.objects('permissions_naming', assetPermission, permissionsNaming('user', ids));
  if (action === 'enable')
    return [await naming(), await appPermissions(change, 'app_permissions_naming', 'user')];
  // In an organization, deleting a user only ends the membership. The account and its sign-ins
  // remain.
  const endsAccount = action === 'disable' || organizationOf(change) === '';
  const everywhere = endsAccount && caller.actor.role === 'Admin';
  const cut = openSessionsOf('user_id', ids);
  const of = (table: string, more = sql`true`) =>
    sql`${sql.table(table)} t where t.user_id = any (${ids}::uuid[]) and ${more}`;
  return [
    ...(endsAccount && sees.signIns
      ? [await change.rows('sign_ins_ended', of('web_session', sql`t.date_expired > now()`))]
      : []),
    await (everywhere
      ? change.objectsEverywhere('sessions_cut', session, cut)
      : change.objects('sessions_cut', session, cut)),
    ...(endsAccount && sees.keys
      ? [
          await change.rows(
            action === 'disable' ? 'keys_refused' : 'keys_deleted',
            of('access_key', action === 'disable' ? sql`t.is_active` : sql`true`),
          ),
        ]
      : []),
    ...(action === 'delete'
      ? [
          await naming(),
          await appPermissions(change, 'app_permissions_naming', 'user'),
          await change.objects(
            'groups',
            userGroup,
            sql`select member.user_group_id as id from user_group_users member
              where member.user_id = any (${ids}::uuid[])`,
          ),
        ]
      : []),
  ];
}

/** Open sessions that end when users leave groups. */
async function sessionsOfLeaving(change: PlannedChange): Promise<Consequence> {
  const { ids, plan, db } = change;
  const leaving = plan?.members?.leaving ?? [];
  const kinds = await kindsInUse(leaving, organizationOf(change), db);
  if (kinds.length === 0) return consequence('sessions_cut', { count: 0, names: [] });
  const membership = sql`not (member.user_group_id = any (${ids}::uuid[])
    and member.user_id = any (${leaving}::uuid[]))`;
  return change.objects(
    'sessions_cut',
    session,
    sessionsLosingGrant(organizationOf(change), { membership }, kinds),
  );
}

/** Consequences of deleting groups, and of adding or removing members. */
export async function groupConsequences(change: PlannedChange): Promise<Consequence[]> {
  const { action, ids, plan } = change;
  const naming = permissionsNaming('user_group', ids);
  if (action === 'save')
    return plan?.members?.leaving.length ? [await sessionsOfLeaving(change)] : [];
  if (action === 'add_members') {
    return [
      await change.objects('permissions_gained', assetPermission, inForce(naming)),
      await appPermissions(change, 'app_permissions_gained', 'user_group'),
    ];
  }
  return [
    await sessionsOfLeaving(change),
    action === 'delete'
      ? await change.objects('permissions_naming', assetPermission, naming)
      : await change.objects('permissions_lost', assetPermission, inForce(naming)),
    await appPermissions(
      change,
      action === 'delete' ? 'app_permissions_naming' : 'app_permissions_lost',
      'user_group',
    ),
    ...(action === 'delete'
      ? [
          await change.objects(
            'members',
            user,
            sql`select member.user_id as id from user_group_users member
              where member.user_group_id = any (${ids}::uuid[])`,
          ),
        ]
      : []),
  ];
}

/**
 * Consequences of deleting, disabling, enabling or saving permissions of a kind, in addition to the
 * change of access.
 */
export const permissionConsequences =
  (kind: GrantKind) =>
  async (change: PlannedChange): Promise<Consequence[]> => {
    const { action, ids } = change;
    if (action === 'enable' || ids.length === 0) return [];
    return [
      await change.objects(
        'sessions_cut',
        session,
        sessionsLosingGrant(
          organizationOf(change),
          {
            rule: sql`p.id <> all (${ids}::uuid[])`,
            ...(change.plan && { alsoAllowed: allowedBy(change.plan) }),
          },
          [kind],
        ),
      ),
    ];
  };
