import {
  type Consequence,
  databaseAppPermission,
  type Resource,
  remoteAppPermission,
  session,
  user,
} from '@sallyport/contract';
import { sql } from 'kysely';
import type { Sql } from '../../../resources/hooks.ts';
import { IN_FORCE } from '../grants/coverage.ts';
import {
  APP_KINDS,
  DATABASE_APPS,
  type GrantKind,
  linksOf,
  REMOTE_APPS,
  ruleIn,
} from '../grants/kind.ts';
import { IS_VALID_USER } from '../grants/paths.ts';
import type { Ask } from './ask.ts';
import { openSessionsOf } from './sessions.ts';

/**
 * What some permissions (a condition over alias `p`) give: users, applications and system users
 * that can be used there.
 */
function givenBy(kind: GrantKind, rules: Sql): Sql {
  const rule = ruleIn(kind, 'link');
  return sql`
    select u.id as user_id, a.id as target_id, s.id as account_id
    from ${sql.table(kind.rule)} p
      join (
        select ${rule} as rule_id, link.user_id from ${linksOf(kind, 'users')} link
        union
        select ${rule}, member.user_id from ${linksOf(kind, 'user_groups')} link
          join user_group_users member on member.user_group_id = link.user_group_id
      ) named on named.rule_id = p.id
      join account u on u.id = named.user_id and ${IS_VALID_USER}
      join (${kind.places(() => sql`true`)}) place on place.rule_id = p.id
      join ${sql.table(kind.target)} a on a.id = place.target_id and ${kind.isUsable}
      join ${linksOf(kind, 'system_users')} link on ${rule} = p.id
      join system_account s on s.id = link.system_user_id and ${kind.isOffered}
    where ${rules}`;
}

/** The resources of the permissions about applications, with their kinds. */
const PERMISSIONS = [
  [REMOTE_APPS, remoteAppPermission],
  [DATABASE_APPS, databaseAppPermission],
] as const;

/** The permissions of a kind that name one of these users, groups or system users themselves. */
function appRulesNaming(
  kind: GrantKind,
  named: 'user' | 'user_group' | 'system_user',
  ids: readonly string[],
): Sql {
  return sql`select ${ruleIn(kind, 'link')} as id from ${linksOf(kind, `${named}s`)} link
    where ${sql.ref(`link.${named}_id`)} = any (${ids}::uuid[])`;
}

const inForce = (kind: GrantKind, rules: Sql) =>
  sql`select p.id from ${sql.table(kind.rule)} p where p.id in (${rules}) and ${IN_FORCE}`;

/**
 * The permissions about applications that name these users, groups or system users, as one
 * consequence; those gained or lost are those in force.
 */
export function appPermissions(
  ask: Ask,
  consequence: 'app_permissions_naming' | 'app_permissions_gained' | 'app_permissions_lost',
  named: 'user' | 'user_group' | 'system_user',
): Promise<Consequence> {
  const found = PERMISSIONS.map(([kind, resource]) => {
    const naming = appRulesNaming(kind, named, ask.ids);
    return [
      resource,
      consequence === 'app_permissions_naming' ? naming : inForce(kind, naming),
    ] as const;
  });
  return ask.namedAmong(consequence, found);
}

/**
 * The users whom permissions about applications in force give something together with one of these
 * system users.
 */
export function peopleUsingOnApps(systemUsers: readonly string[]): Sql {
  const given = APP_KINDS.map(
    (kind) =>
      sql`select given.user_id as id
        from (${givenBy(kind, sql`${IN_FORCE} and s.id = any (${systemUsers}::uuid[])`)}) given`,
  );
  return sql.join(given, sql` union all `);
}

/**
 * What follows for applications that are deleted: the sessions that end, the permissions that name
 * them, and who loses the use of them.
 */
const ofApps =
  (kind: GrantKind, permissions: Resource) =>
  async (ask: Ask): Promise<Consequence[]> => {
    const meant = (id: Sql) => sql`${id} = any (${ask.ids}::uuid[])`;
    return [
      await ask.named('sessions_cut', session, openSessionsOf('asset_id', ask.ids)),
      await ask.named(
        'permissions_naming',
        permissions,
        sql`select distinct place.rule_id as id from (${kind.places(meant)}) place`,
      ),
      await ask.named(
        'people_losing',
        user,
        sql`select distinct given.user_id as id
          from (${givenBy(kind, sql`${IN_FORCE} and ${meant(sql`a.id`)}`)}) given`,
      ),
    ];
  };

export const ofRemoteApps = ofApps(REMOTE_APPS, remoteAppPermission);
export const ofDatabaseApps = ofApps(DATABASE_APPS, databaseAppPermission);
