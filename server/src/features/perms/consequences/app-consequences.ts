import {
  type Consequence,
  clusterPermission,
  databaseAppPermission,
  type Resource,
  remoteAppPermission,
  session,
  user,
} from '@sallyport/contract';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { IN_FORCE } from '../grants/coverage.ts';
import {
  APP_KINDS,
  CLUSTERS,
  DATABASE_APPS,
  type GrantKind,
  linksOf,
  REMOTE_APPS,
  ruleIn,
} from '../grants/kind.ts';
import { IS_VALID_USER } from '../grants/paths.ts';
import type { PlannedChange } from './change.ts';
import { openSessionsOf } from './sessions.ts';

/**
 * Query for the access that permissions (a condition over alias `p`) grant: user, application and
 * usable system user.
 */
function accessGrantedBy(kind: GrantKind, rules: Sql): Sql {
  const rule = ruleIn(kind, 'link');
  return sql`
    select u.id as user_id, a.id as target_id, s.id as account_id
    from ${sql.table(kind.rule)} p
      join (
        select ${rule} as rule_id, link.user_id from ${linksOf(kind, 'users')} link
        union
        select ${rule}, member.user_id from ${linksOf(kind, 'user_groups')} link
          join user_group_users member on member.user_group_id = link.user_group_id
      ) person on person.rule_id = p.id
      join account u on u.id = person.user_id and ${IS_VALID_USER}
      join (${kind.places(() => sql`true`)}) place on place.rule_id = p.id
      join ${sql.table(kind.target)} a on a.id = place.target_id and ${kind.isUsable}
      join ${linksOf(kind, 'system_users')} link on ${rule} = p.id
      join system_account s on s.id = link.system_user_id and ${kind.isOffered}
    where ${rules}`;
}

const PERMISSIONS = [
  [REMOTE_APPS, remoteAppPermission],
  [DATABASE_APPS, databaseAppPermission],
  [CLUSTERS, clusterPermission],
] as const;

/** Permissions of a kind that name one of these users, groups or system users directly. */
function appRulesNaming(
  kind: GrantKind,
  member: 'user' | 'user_group' | 'system_user',
  ids: readonly string[],
): Sql {
  return sql`select ${ruleIn(kind, 'link')} as id from ${linksOf(kind, `${member}s`)} link
    where ${sql.ref(`link.${member}_id`)} = any (${ids}::uuid[])`;
}

const inForce = (kind: GrantKind, rules: Sql) =>
  sql`select p.id from ${sql.table(kind.rule)} p where p.id in (${rules}) and ${IN_FORCE}`;

/**
 * Application permissions that name these users, groups or system users, as one consequence. Gained
 * and lost permissions count only while in force.
 */
export function appPermissions(
  change: PlannedChange,
  consequence: 'app_permissions_naming' | 'app_permissions_gained' | 'app_permissions_lost',
  member: 'user' | 'user_group' | 'system_user',
): Promise<Consequence> {
  const parts = PERMISSIONS.map(([kind, resource]) => {
    const naming = appRulesNaming(kind, member, change.ids);
    return [
      resource,
      consequence === 'app_permissions_naming' ? naming : inForce(kind, naming),
    ] as const;
  });
  return change.objectsAmong(consequence, parts);
}

/** Users who can use one of these system users on an application. */
export function appUsersOf(systemUsers: readonly string[]): Sql {
  const granted = APP_KINDS.map(
    (kind) =>
      sql`select granted.user_id as id
        from (${accessGrantedBy(
          kind,
          sql`${IN_FORCE}
          and s.id = any (${systemUsers}::uuid[])`,
        )}) granted`,
  );
  return sql.join(granted, sql` union all `);
}

/**
 * Consequences of deleting applications: sessions that end, permissions that name them, and users
 * who lose access.
 */
const appConsequences =
  (kind: GrantKind, permissions: Resource) =>
  async (change: PlannedChange): Promise<Consequence[]> => {
    const isDeleted = (id: Sql) => sql`${id} = any (${change.ids}::uuid[])`;
    return [
      await change.objects('sessions_cut', session, openSessionsOf('asset_id', change.ids)),
      await change.objects(
        'permissions_naming',
        permissions,
        sql`select distinct place.rule_id as id from (${kind.places(isDeleted)}) place`,
      ),
      await change.objects(
        'people_losing',
        user,
        sql`select distinct granted.user_id as id
          from (${accessGrantedBy(kind, sql`${IN_FORCE} and ${isDeleted(sql`a.id`)}`)}) granted`,
      ),
    ];
  };

export const remoteAppConsequences = appConsequences(REMOTE_APPS, remoteAppPermission);
export const clusterConsequences = appConsequences(CLUSTERS, clusterPermission);
export const databaseAppConsequences = appConsequences(DATABASE_APPS, databaseAppPermission);
