import { formatDatetime, type Invitation, isUuid } from '@sallyport/contract';
import { databaseClock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import { notFound } from '../../../platform/errors.ts';

/** Days until an invitation expires. */
const DAYS = 14;
/** Days that the inviter still sees an expired invitation. */
const SHOWN_DAYS = 14;

interface StoredInvitation {
  readonly id: string;
  readonly account: string;
  readonly organization: string;
  readonly organization_id: string;
  readonly invited_by: string;
  readonly date_created: Date;
  readonly date_expired: Date;
}

const COLUMNS = sql`i.id, i.account, o.name as organization, i.organization_id,
    i.invited_by, i.date_created, i.date_expired
  from organization_invitation i join organization o on o.id = i.organization_id`;

/** Condition: invitations of an organization, including expired ones. */
export const ofOrganization = (id: string): Sql => sql`i.organization_id::text = ${id}`;
/** Condition: open invitations to a user. */
export const ofUser = (id: string): Sql => sql`i.user_id = ${id} and i.date_expired > now()`;

/** Stores invitations; renews those that exist. */
export async function keepInvitations(
  organizationId: string,
  people: readonly { readonly id: string; readonly identifier: string }[],
  invitedBy: string,
  tx: Tx,
): Promise<void> {
  for (const { id, identifier } of people)
    await sql`
      insert into organization_invitation
        (organization_id, user_id, account, invited_by, date_expired)
      values (${organizationId}, ${id}, ${identifier}, ${invitedBy},
        now() + make_interval(days => ${DAYS}))
      on conflict (organization_id, user_id) do update set
        account = excluded.account, invited_by = excluded.invited_by, date_created = now(),
        date_expired = excluded.date_expired`.execute(tx);
}

/** Deletes old expired invitations. */
export async function clearExpiredInvitations(db: Db): Promise<void> {
  await sql`
    delete from organization_invitation
    where date_expired < now() - make_interval(days => ${SHOWN_DAYS})`.execute(db);
}

/** Deletes invitations of users who became members in another way. */
export async function dropInvitations(
  organizationId: string,
  userIds: readonly string[],
  tx: Tx,
): Promise<void> {
  await sql`
    delete from organization_invitation
    where organization_id = ${organizationId}
      and user_id = any (${userIds}::uuid[])`.execute(tx);
}

/** Returns the invitations (alias `i`) that match a condition, oldest first. */
export async function listInvitations(
  condition: Sql,
  db: Db,
): Promise<readonly StoredInvitation[]> {
  const { rows } = await sql<StoredInvitation>`
    select ${COLUMNS} where ${condition} order by i.date_created, i.id limit 1000`.execute(db);
  return rows;
}

/**
 * Deletes an invitation and returns it, since it can be answered once.
 * @throws NotFound
 */
export async function takeInvitation(
  id: string,
  condition: Sql,
  tx: Tx,
): Promise<StoredInvitation> {
  if (!isUuid(id)) throw notFound();
  const { rows } = await sql<StoredInvitation>`
    select ${COLUMNS} where i.id = ${id}::uuid and ${condition} for update of i`.execute(tx);
  const [invitation] = rows;
  if (!invitation) throw notFound();
  await sql`delete from organization_invitation where id = ${invitation.id}`.execute(tx);
  return invitation;
}

/** Formats invitations for responses. */
export function presentAll(rows: readonly StoredInvitation[], zone: string): Invitation[] {
  return rows.map(({ organization_id: _, ...row }) => ({
    ...row,
    state: row.date_expired > databaseClock.date() ? 'open' : 'expired',
    date_created: formatDatetime(row.date_created, zone),
    date_expired: formatDatetime(row.date_expired, zone),
  }));
}
