import type { OrganizationRole } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { likePattern } from '../../resources/read/search.ts';
import { userName } from '../../resources/relations/named-objects.ts';

export interface Member {
  readonly user: string;
  readonly user_display: string;
}

/** An account that matches an invitation. */
export interface InvitedAccount {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly identifier: string;
  readonly is_member: boolean;
}

/** Adds members to an organization. */
export async function addMembers(
  organizationId: string,
  userIds: readonly string[],
  role: OrganizationRole,
  tx: Tx,
): Promise<void> {
  await sql`insert into organization_member (organization_id, user_id, role)
    select ${organizationId}::uuid, u, ${role} from unnest(${userIds}::uuid[]) u`.execute(tx);
}

/** Adds a member in a role. Does nothing if the user already has the role. */
export async function addMemberOnce(
  organizationId: string,
  userId: string,
  role: OrganizationRole,
  tx: Tx,
): Promise<void> {
  const { rows } = await sql`select 1 from organization_member
      where organization_id = ${organizationId} and user_id = ${userId} and role = ${role}`.execute(
    tx,
  );
  if (rows.length === 0) await addMembers(organizationId, [userId], role, tx);
}

export async function removeMember(organizationId: string, userId: string, tx: Tx): Promise<void> {
  await sql`delete from organization_member
    where organization_id = ${organizationId} and user_id = ${userId}`.execute(tx);
}

/** Deletes the row of an organization, which must be empty. */
export async function deleteOrganization(id: string, tx: Tx): Promise<void> {
  await sql`delete from organization where id = ${id}`.execute(tx);
}

/**
 * Accounts with one of the usernames or e-mail addresses. Locks the rows until the transaction
 * ends.
 */
export async function findInvited(
  wanted: readonly string[],
  organizationId: string,
  role: OrganizationRole,
  tx: Tx,
): Promise<readonly InvitedAccount[]> {
  const { rows } = await sql<InvitedAccount>`
    select t.id, t.name, t.username, asked.identifier,
      exists (select 1 from organization_member held
        where held.organization_id = ${organizationId}::uuid and held.user_id = t.id
        and held.role = ${role}) as is_member
    from unnest(${wanted}::text[]) as asked (identifier)
      join account t on t.id = account_named(asked.identifier)
        or lower(t.email) = lower(asked.identifier)
    order by t.id for key share of t`.execute(tx);
  return rows;
}

/** The members of an organization in any role whose account matches a search. */
export async function membersOf(organizationId: string, search: string, db: Db): Promise<Member[]> {
  const { rows } = await sql<Member>`
    select t.id as "user", ${userName('t')} as user_display from account t
    where t.id in (select member.user_id from organization_member member
      where member.organization_id = ${organizationId}::uuid)
      and t.search_text like ${likePattern(search)}
    order by t.username limit 10000`.execute(db);
  return rows;
}
