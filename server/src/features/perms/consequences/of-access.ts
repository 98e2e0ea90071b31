import { assetPermission, type Consequence, session, user, userGroup } from '@sallyport/contract';
import { sql } from 'kysely';
import type { GrantKind } from '../grants/kind.ts';
import type { Ask } from './ask.ts';
import { appPermissions } from './of-apps.ts';
import { inForce, permissionsNaming } from './permissions.ts';
import { allowedBy } from './plans.ts';
import { kindsInUse, openSessionsOf, sessionsLosingGrant } from './sessions.ts';
import { consequence } from './store.ts';

const organizationOf = ({ caller }: Ask) => caller.actor.organization.id;

/**
 * What follows for a user who is removed, disabled or enabled. `sees` says what of the account the
 * caller may know.
 */
export async function ofUsers(
  ask: Ask,
  sees: { readonly signIns: boolean; readonly keys: boolean },
): Promise<Consequence[]> {
  const { action, ids, caller } = ask;
  const naming = () =>
    ask.named('permissions_naming', assetPermission, permissionsNaming('user', ids));
  if (action === 'enable')
    return [await naming(), await appPermissions(ask, 'app_permissions_naming', 'user')];
  // Inside an organization deleting takes out of it: the account and its sign-ins live on.
  const endsAccount = action === 'disable' || organizationOf(ask) === '';
  const everywhere = endsAccount && caller.actor.role === 'Admin';
  const cut = openSessionsOf('user_id', ids);
  const of = (table: string, more = sql`true`) =>
    sql`${sql.table(table)} t where t.user_id = any (${ids}::uuid[]) and ${more}`;
  return [
    ...(endsAccount && sees.signIns
      ? [await ask.counted('sign_ins_ended', of('web_session', sql`t.date_expired > now()`))]
      : []),
    await (everywhere
      ? ask.namedAnywhere('sessions_cut', session, cut)
      : ask.named('sessions_cut', session, cut)),
    ...(endsAccount && sees.keys
      ? [
          await ask.counted(
            action === 'disable' ? 'keys_refused' : 'keys_deleted',
            of('access_key', action === 'disable' ? sql`t.is_active` : sql`true`),
          ),
        ]
      : []),
    ...(action === 'delete'
      ? [
          await naming(),
          await appPermissions(ask, 'app_permissions_naming', 'user'),
          await ask.named(
            'groups',
            userGroup,
            sql`select member.user_group_id as id from user_group_users member
              where member.user_id = any (${ids}::uuid[])`,
          ),
        ]
      : []),
  ];
}

/** The open sessions that end because users leave groups. */
async function sessionsOfLeaving(ask: Ask): Promise<Consequence> {
  const { ids, plan, db } = ask;
  const leaving = plan?.members?.leaving ?? [];
  const kinds = await kindsInUse(leaving, organizationOf(ask), db);
  if (kinds.length === 0) return consequence('sessions_cut', { count: 0, names: [] });
  const membership = sql`not (member.user_group_id = any (${ids}::uuid[])
    and member.user_id = any (${leaving}::uuid[]))`;
  return ask.named(
    'sessions_cut',
    session,
    sessionsLosingGrant(organizationOf(ask), { membership }, kinds),
  );
}

/** What follows for groups that are deleted, or that users join or leave. */
export async function ofGroups(ask: Ask): Promise<Consequence[]> {
  const { action, ids, plan } = ask;
  const naming = permissionsNaming('user_group', ids);
  if (action === 'save') return plan?.members?.leaving.length ? [await sessionsOfLeaving(ask)] : [];
  if (action === 'add_members') {
    return [
      await ask.named('permissions_gained', assetPermission, inForce(naming)),
      await appPermissions(ask, 'app_permissions_gained', 'user_group'),
    ];
  }
  return [
    await sessionsOfLeaving(ask),
    action === 'delete'
      ? await ask.named('permissions_naming', assetPermission, naming)
      : await ask.named('permissions_lost', assetPermission, inForce(naming)),
    await appPermissions(
      ask,
      action === 'delete' ? 'app_permissions_naming' : 'app_permissions_lost',
      'user_group',
    ),
    ...(action === 'delete'
      ? [
          await ask.named(
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
 * What follows for permissions of a kind that are deleted, disabled, enabled or saved, besides the
 * change of access.
 */
export const ofPermissions =
  (kind: GrantKind) =>
  async (ask: Ask): Promise<Consequence[]> => {
    const { action, ids } = ask;
    if (action === 'enable' || ids.length === 0) return [];
    return [
      await ask.named(
        'sessions_cut',
        session,
        sessionsLosingGrant(
          organizationOf(ask),
          {
            rule: sql`p.id <> all (${ids}::uuid[])`,
            ...(ask.plan && { alsoAllowed: allowedBy(ask.plan) }),
          },
          [kind],
        ),
      ),
    ];
  };
