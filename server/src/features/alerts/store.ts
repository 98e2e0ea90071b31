import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AttentionConditions } from '../../resources/read/scope.ts';

/** Alerts that no administrator or auditor has seen. */
export const ALERT_ATTENTION = {
  unseen_alerts: () => sql`not t.is_seen`,
} satisfies AttentionConditions;

/** Days that the habits of a user cover. */
export const HABIT_DAYS = 90;
/** Most administrators and auditors who hear of an alert. */
const MOST_WATCHERS = 100;

/**
 * Returns the valid administrators and auditors of an organization, each with the number of unread
 * alerts up to a limit.
 */
export async function watchersOf(
  organization: string,
  limit: number,
  tx: Tx,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; unread: number }>`
    select a.id, (select count(*) from (select from notification n where n.user_id = a.id
      and not n.is_read and n.kind like 'alert\\_%' limit ${limit}) few)::int as unread
    from account a
    where a.is_active and coalesce(a.date_expired > now(), true) and (
      ${organization} = '' and a.role in ('Admin', 'Auditor')
      or exists (select from organization_member m where m.user_id = a.id
        and m.organization_id::text = ${organization} and m.role in ('Admin', 'Auditor')))
    order by a.id limit ${MOST_WATCHERS}`.execute(tx);
  return new Map(rows.map(({ id, unread }) => [id, unread]));
}

/** The alerts of an organization with some ids, locked until the transaction ends. */
export async function lockAlerts(
  ids: readonly string[],
  organization: string,
  tx: Tx,
): Promise<readonly AlertRow[]> {
  const { rows } = await sql<AlertRow>`
    select id, "user", user_id, is_seen from alert
    where id = any (${[...ids]}::uuid[]) and org_id = ${organization}
    order by id for update`.execute(tx);
  return rows;
}

export interface AlertRow {
  readonly id: string;
  readonly user: string;
  readonly user_id: string;
  readonly is_seen: boolean;
}

export async function markSeen(
  ids: readonly string[],
  { by, note }: { readonly by: string; readonly note: string },
  tx: Tx,
): Promise<void> {
  await sql`update alert set is_seen = true, seen_by = ${by}, note = ${note}, date_seen = now()
    where id = any (${[...ids]}::uuid[])`.execute(tx);
}

/** Deletes alerts that are older than some days. */
export async function forgetAlerts(days: number, db: Db): Promise<number> {
  const { rowCount } = await sql`
    delete from alert where datetime < now() - make_interval(days => ${days})`.execute(db);
  return rowCount ?? 0;
}

/**
 * Deletes habits that are older than they count, but keeps the last network of each user: a user
 * who returns after a pause is not a new one.
 */
export async function forgetHabits(db: Db): Promise<void> {
  await sql`
    delete from sign_in_place p where p.last_seen < now() - make_interval(days => ${HABIT_DAYS})
      and exists (select from sign_in_place other where other.user_id = p.user_id
        and (other.last_seen, other.network) > (p.last_seen, p.network))`.execute(db);
  await sql`delete from account_use
    where last_used < now() - make_interval(days => ${HABIT_DAYS})`.execute(db);
  // The day is one in the zone of the server, up to a day from that of the database.
  await sql`
    delete from sign_in_hour where day < current_date - ${HABIT_DAYS + 1}::int`.execute(db);
}
