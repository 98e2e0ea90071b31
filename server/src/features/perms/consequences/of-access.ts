import { assetPermission, type Consequence, session, user, userGroup } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Ask } from './ask.ts';
import { inForce, peopleNamedBy, permissionsNaming } from './permissions.ts';
import { openSessionsOf, sessionsLosingGrant } from './sessions.ts';

const organizationOf = ({ caller }: Ask) => caller.actor.organization.id;

/** What follows for a user who is removed, disabled or enabled. `sees` says what of the account the caller may know. */
export async function ofUsers(ask: Ask, sees: { readonly signIns: boolean; readonly keys: boolean }): Promise<Consequence[]> {
  const { action, ids, caller } = ask;
  const naming = () => ask.named('permissions_naming', assetPermission, permissionsNaming('user', ids));
  if (action === 'enable') return [await naming()];
  // Inside an organization deleting takes out of it: the account and its sign-ins live on.
  const endsAccount = action === 'disable' || organizationOf(ask) === '';
  const everywhere = endsAccount && caller.actor.role === 'Admin';
  const cut = openSessionsOf('user_id', ids);
  const of = (table: string, more = sql`true`) => sql`${sql.table(table)} t where t.user_id = any (${ids}::uuid[]) and ${more}`;
  return [
    ...(endsAccount && sees.signIns ? [await ask.counted('sign_ins_ended', of('web_session', sql`t.date_expired > now()`))] : []),
    await (everywhere ? ask.namedAnywhere('sessions_cut', session, cut) : ask.named('sessions_cut', session, cut)),
    ...(endsAccount && sees.keys
      ? [await ask.counted(action === 'disable' ? 'keys_refused' : 'keys_deleted', of('access_key', action === 'disable' ? sql`t.is_active` : sql`true`))]
      : []),
    ...(action === 'delete'
      ? [
          await naming(),
          await ask.named('groups', userGroup, sql`select member.user_group_id as id from user_group_users member where member.user_id = any (${ids}::uuid[])`),
        ]
      : []),
  ];
}

/** What follows for groups that are deleted, or that users join or leave. */
export async function ofGroups(ask: Ask): Promise<Consequence[]> {
  const { action, ids, users } = ask;
  const naming = permissionsNaming('user_group', ids);
  if (action === 'add_members') return [await ask.named('permissions_gained', assetPermission, inForce(naming))];
  const leaving = action === 'delete' ? sql`true` : sql`member.user_id = any (${users}::uuid[])`;
  return [
    await ask.named(
      'sessions_cut',
      session,
      sessionsLosingGrant(organizationOf(ask), { membership: sql`not (member.user_group_id = any (${ids}::uuid[]) and ${leaving})` }),
    ),
    action === 'delete'
      ? await ask.named('permissions_naming', assetPermission, naming)
      : await ask.named('permissions_lost', assetPermission, inForce(naming)),
    ...(action === 'delete'
      ? [await ask.named('members', user, sql`select member.user_id as id from user_group_users member where member.user_group_id = any (${ids}::uuid[])`)]
      : []),
  ];
}

/** What follows for permissions that are deleted, disabled or enabled. */
export async function ofPermissions(ask: Ask): Promise<Consequence[]> {
  const { action, ids } = ask;
  const enabling = action === 'enable';
  const rules = inForce(sql`select unnest(${ids}::uuid[])`, enabling);
  const people = await ask.named(enabling ? 'people_gaining' : 'people_reaching', user, peopleNamedBy(rules));
  const assets = await ask.reached(enabling ? 'assets_gained' : 'assets_reached', rules);
  if (enabling) return [people, assets];
  return [await ask.named('sessions_cut', session, sessionsLosingGrant(organizationOf(ask), { rule: sql`p.id <> all (${ids}::uuid[])` })), people, assets];
}
