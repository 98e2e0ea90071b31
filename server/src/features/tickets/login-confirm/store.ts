import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import { userName } from '../../../resources/relations/named-objects.ts';
import { HAS_LEFT, type Review } from '../../identity/index.ts';
import { IS_VALID_USER } from '../../perms/index.ts';

/** The stored reviewers of a user's sign-ins. */
export interface StoredReviewers {
  readonly id: string;
  readonly user: string;
  readonly reviewers: readonly string[];
  readonly date_created: Date;
  readonly date_updated: Date;
}

/** Returns true if the sign-ins of a user need a review, even if no reviewer is left. */
export async function needsReview(userId: string, on: Db | Tx): Promise<boolean> {
  const { rows } = await sql`select 1 from login_confirm_setting s
      where s.user_id = ${userId} and s.is_active`.execute(on);
  return rows.length > 0;
}

/** The reviewers of a user, as the operate log names them. */
export async function reviewersInWords(userId: string, on: Db | Tx): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string }>`
    select ${userName('u')} as name from login_confirm_setting_reviewers r
      join account u on u.id = r.reviewer_id where r.user_id = ${userId} order by 1`.execute(on);
  return rows.map(({ name }) => name);
}

/** Stores the reviewers of a user's sign-ins. */
export async function keepReviewers(
  userId: string,
  reviewers: readonly string[],
  tx: Tx,
): Promise<StoredReviewers> {
  const { rows } = await sql<Omit<StoredReviewers, 'reviewers'>>`
    insert into login_confirm_setting (user_id, is_active)
      values (${userId}, ${reviewers.length > 0})
    on conflict (user_id) do update set date_updated = now(), is_active = excluded.is_active
      returning id, user_id as user, date_created, date_updated`.execute(tx);
  await sql`delete from login_confirm_setting_reviewers where user_id = ${userId}`.execute(tx);
  await sql`insert into login_confirm_setting_reviewers (user_id, reviewer_id) select ${userId}, r
    from unnest(${reviewers}::uuid[]) r`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('the reviewers were not kept');
  return { ...row, reviewers };
}

/** The reviewers of a user who can sign in. Excludes the user. */
export async function reviewersOf(userId: string, on: Db | Tx): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select r.reviewer_id as id from login_confirm_setting_reviewers r
      join account u on u.id = r.reviewer_id
    where r.user_id = ${userId} and r.reviewer_id <> ${userId} and ${IS_VALID_USER}`.execute(on);
  return rows.map(({ id }) => id);
}

/**
 * The open sign-in tickets of a user except the latest `kept`. Limits the tickets that an attacker
 * with a stolen password can open.
 */
export async function olderAttempts(
  userId: string,
  kept: number,
  tx: Tx,
): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from ticket where user_id = ${userId} and type = 'login_confirm' and status = 'open'
      order by date_created desc, id offset ${kept}`.execute(tx);
  return rows.map(({ id }) => id);
}

/** The decision of the reviewers, by ticket. */
export async function reviewOf(ticketId: string, on: Db | Tx): Promise<Review> {
  const { rows } = await sql<{
    status: string;
    action: string;
    can_answer: boolean;
    reviewers: string[];
  }>`
    select t.status, t.action, exists (
      select 1 from ticket_assignees link join account u on u.id = link.user_id
        where link.ticket_id = t.id and ${IS_VALID_USER}) as can_answer, array(
      select u.name from ticket_assignees link join account u on u.id = link.user_id
        where link.ticket_id = t.id order by u.name, u.id) as reviewers
    from ticket t where t.id = ${ticketId}`.execute(on);
  const [row] = rows;
  // A ticket without a reviewer who can answer counts as closed.
  const state =
    row?.status === 'open' && row.can_answer
      ? 'open'
      : row?.action === 'approve'
        ? 'approved'
        : row?.action === 'reject'
          ? 'rejected'
          : 'closed';
  return { ticketId, state, reviewers: row?.reviewers ?? [] };
}

/** Returns true if the sign-in of a ticket is still pending. */
export async function isAwaited(ticketId: string, tx: Tx): Promise<boolean> {
  const { rows } = await sql`select 1 from pending_sign_in p
      where p.confirm_ticket = ${ticketId} and p.date_expired > now() and not ${HAS_LEFT}`.execute(
    tx,
  );
  return rows.length > 0;
}
