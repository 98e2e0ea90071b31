import type { Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** A granted permission that ends soon or has ended, with its requester. */
export interface EndingGrant {
  readonly ticketId: string;
  readonly userId: string;
  readonly title: string;
}

/**
 * Marks the grants of requests that end within a day as reminded, and returns them. Excludes grants
 * of a day or less, whose end the requester chose.
 */
export async function takeEnding(tx: Tx): Promise<readonly EndingGrant[]> {
  const { rows } = await sql<EndingGrant>`
    update ticket_asset_request r set date_reminded = now() from ticket t, (
      select id, is_active, date_start, date_expired from asset_permission
      union all select id, is_active, date_start, date_expired from database_app_permission
      union all select id, is_active, date_start, date_expired from remote_app_permission) p
    where t.id = r.ticket_id and p.id = coalesce(r.permission_id, r.database_permission_id,
      r.remote_permission_id) and r.date_reminded is null and t.user_id is not null and p.is_active
      and p.date_expired between now() and now() + interval '1 day'
        and p.date_expired - p.date_start > interval '1 day'
    returning t.id as "ticketId", t.user_id as "userId", t.title`.execute(tx);
  return rows;
}

/** Marks grants of requests that have expired as told, and returns them. */
export async function takeEnded(tx: Tx): Promise<readonly EndingGrant[]> {
  const { rows } = await sql<EndingGrant>`
    update ticket_asset_request r set date_told = now() from ticket t, (
      select id, is_active, date_expired from asset_permission
      union all select id, is_active, date_expired from database_app_permission
      union all select id, is_active, date_expired from remote_app_permission) p
    where t.id = r.ticket_id and p.id = coalesce(r.permission_id, r.database_permission_id,
      r.remote_permission_id) and r.date_told is null and t.user_id is not null and p.is_active
      and p.date_expired <= now()
    returning t.id as "ticketId", t.user_id as "userId", t.title`.execute(tx);
  return rows;
}

/** Stores that the requester knows of the end of a grant. */
export async function keepTold(ticketId: string, tx: Tx): Promise<void> {
  await sql`update ticket_asset_request set date_told = now()
    where ticket_id = ${ticketId}`.execute(tx);
}
