import { formatDatetime, type Invitation, isUuid } from '@sallyport/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { notFound } from '../../../platform/errors.ts';
import type { Sql } from '../../../resources/hooks.ts';

/** How long a person may take to answer. */
const DAYS = 14;
/** How long the inviter still sees an invitation that nobody answered. */
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

const COLUMNS = sql`i.id, i.account, o.name as organization, i.organization_id, i.invited_by, i.date_created, i.date_expired
  from organization_invitation i join organization o on o.id = i.organization_id`;

/** The invitations of an organization, those without an answer in time included. */
export const ofOrganization = (id: string): Sql => sql`i.organization_id::text = ${id}`;
/** The invitations that wait for a user. */
export const ofUser = (id: string): Sql => sql`i.user_id = ${id} and i.date_expired > now()`;

/** Keeps invitations; one that was open already begins again. */
export async function keepInvitations(
  organizationId: string,
  people: readonly { readonly id: string; readonly wanted: string }[],
  invitedBy: string,
  tx: Tx,
): Promise<void> {
  for (const { id, wanted } of people)
    await sql`
      insert into organization_invitation (organization_id, user_id, account, invited_by, date_expired)
      values (${organizationId}, ${id}, ${wanted}, ${invitedBy}, now() + make_interval(days => ${DAYS}))
      on conflict (organization_id, user_id) do update set
        account = excluded.account, invited_by = excluded.invited_by, date_created = now(), date_expired = excluded.date_expired`.execute(
      tx,
    );
}

/** Forgets the invitations that nobody answered; called now and then. */
export async function clearExpiredInvitations(db: Db): Promise<void> {
  await sql`delete from organization_invitation where date_expired < now() - make_interval(days => ${SHOWN_DAYS})`.execute(
    db,
  );
}

/** Forgets the invitations of people who came in another way. */
export async function dropInvitations(
  organizationId: string,
  userIds: readonly string[],
  tx: Tx,
): Promise<void> {
  await sql`delete from organization_invitation where organization_id = ${organizationId} and user_id = any (${userIds}::uuid[])`.execute(
    tx,
  );
}

/** The invitations (alias `i`) that fit a condition, oldest first. */
export async function listInvitations(
  condition: Sql,
  db: Db,
): Promise<readonly StoredInvitation[]> {
  const { rows } = await sql<StoredInvitation>`
    select ${COLUMNS} where ${condition} order by i.date_created, i.id limit 1000`.execute(db);
  return rows;
}

/** Takes an invitation out; it can be answered once. @throws NotFound */
export async function takeInvitation(
  id: string,
  condition: Sql,
  tx: Tx,
): Promise<StoredInvitation> {
  if (!isUuid(id)) throw notFound();
  const { rows } = await sql<StoredInvitation>`
    select ${COLUMNS} where i.id = ${id}::uuid and ${condition} for update of i`.execute(tx);
  const [found] = rows;
  if (!found) throw notFound();
  await sql`delete from organization_invitation where id = ${found.id}`.execute(tx);
  return found;
}

/** Invitations as they are answered. */
export function presentAll(rows: readonly StoredInvitation[], zone: string): Invitation[] {
  return rows.map(({ organization_id: _, ...row }) => ({
    ...row,
    state: row.date_expired > new Date() ? 'open' : 'expired',
    date_created: formatDatetime(row.date_created, zone),
    date_expired: formatDatetime(row.date_expired, zone),
  }));
}
