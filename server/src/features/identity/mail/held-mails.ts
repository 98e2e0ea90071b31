import { isMailDue, type MailTimes, parseMailTimes } from '@sallyport/contract';
import type pg from 'pg';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';
import type { MailAbout, MailKind } from './texts.ts';

/** Mails that report what has happened or asks without hurry. All others are never held. */
const CAN_WAIT: ReadonlySet<MailKind> = new Set<MailKind>([
  ...(['ticket_asked', 'ticket_approved', 'ticket_rejected', 'ticket_closed'] as const),
  ...(['change_proposed', 'change_applied', 'change_rejected'] as const),
  'job_failed',
]);

export const canWait = (kind: MailKind): boolean => CAN_WAIT.has(kind);

/** Maximum mails that are held for a user; later ones are sent at once. */
const MOST_HELD = 200;

/** Subject of a held mail, with the language in which it was queued. */
interface HeldAbout extends MailAbout {
  readonly language?: string;
}

/** Holds a mail. Returns false if the user has too many. */
export async function holdMail(
  { userId, kind, about }: { userId: string; kind: MailKind; about: HeldAbout },
  on: Db | Tx,
): Promise<boolean> {
  const { rows } = await sql`
    insert into held_mail (account_id, kind, about)
    select ${userId}, ${kind}, ${JSON.stringify(about)}::jsonb
    where (select count(*) from held_mail where account_id = ${userId}) < ${MOST_HELD}
    returning id`.execute(on);
  return rows.length > 0;
}

export interface HeldMail {
  readonly id: string;
  readonly kind: MailKind;
  readonly about: HeldAbout;
  readonly date_held: Date;
}

/** Returns the users with held mails that are due, in random order: a run may end early. */
export async function usersWithDueMails(now: Date, on: Db): Promise<readonly string[]> {
  const { rows } = await sql<{ id: string; mail_times: unknown; oldest: Date }>`
    select a.id, a.preferences -> 'mail_times' as mail_times, min(m.date_held) as oldest
    from held_mail m join account a on a.id = m.account_id group by a.id
    order by random()`.execute(on);
  return rows
    .filter(({ mail_times: wish, oldest }) => {
      const times: MailTimes | undefined = parseMailTimes(wish);
      // A user who no longer wants mails to wait gets them now.
      return !times || isMailDue(times, oldest, now);
    })
    .map(({ id }) => id);
}

/** Returns the held mails of a user, oldest first. */
export async function heldMailsOf(userId: string, on: Db): Promise<readonly HeldMail[]> {
  const { rows } = await sql<HeldMail>`
    select id, kind, about, date_held from held_mail
    where account_id = ${userId} order by date_held, id`.execute(on);
  return rows;
}

/** Deletes held mails that were sent. */
export async function dropHeldMails(ids: readonly string[], on: Db): Promise<void> {
  await sql`delete from held_mail where id = any(${[...ids]}::uuid[])`.execute(on);
}

/** Days after which a held mail that cannot be sent is given up. */
const DELIVERY_DAYS = 2;

/** Deletes the held mails of a user that could not be sent for days. */
export async function giveUpHeldMails(userId: string, on: Db): Promise<void> {
  await sql`delete from held_mail where account_id = ${userId}
    and date_held < now() - make_interval(days => ${DELIVERY_DAYS})`.execute(on);
}

/** Deletes the held mails of users who cannot sign in any more: they name tickets and changes. */
export async function dropMailsOfLeavers(on: Db): Promise<void> {
  await sql`delete from held_mail m using account a where a.id = m.account_id
    and not (a.is_active and coalesce(a.date_expired > now(), true))`.execute(on);
}

/** Drops the held mails of a backup: the installation may have sent them. They are no events. */
export async function dropRestoredMails(client: Pick<pg.ClientBase, 'query'>): Promise<number> {
  // A backup of an earlier version has no such table yet.
  const { rows } = await client.query<{ is_there: boolean }>(
    `select to_regclass('held_mail') is not null as is_there`,
  );
  if (rows[0]?.is_there) await client.query('delete from held_mail');
  return 0;
}
