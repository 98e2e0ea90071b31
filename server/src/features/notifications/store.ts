import type { NotificationKind } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { CHANGES_CHANNEL, type ChangeNews } from '../audits/index.ts';

/** One event, for each of its users. */
export interface News {
  readonly kind: NotificationKind;
  readonly users: readonly string[];
  /** The object in words; never a secret. */
  readonly subject: string;
  /** The user whose act it was; empty for the server. */
  readonly by: string;
  readonly resource: string;
  readonly resourceId: string;
  /** Organization of the object. */
  readonly organization?: string;
}

/** Notifies users in the transaction of the event. Consoles hear of it at commit. */
export async function notifyUsers(
  { kind, users, subject, by, resource, resourceId, organization = '' }: News,
  tx: Tx,
): Promise<void> {
  if (users.length === 0) return;
  await sql`select notify_users(${[...users]}::uuid[], ${kind}, ${subject}, ${by}, ${resource},
    ${resourceId}, ${organization})`.execute(tx);
}

/** Marks notifications of a user as read; without ids, all. Tells other windows of the user. */
export async function markRead(
  userId: string,
  ids: readonly string[] | undefined,
  db: Db,
): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update notification set is_read = true
    where user_id = ${userId} and not is_read
      and (${ids === undefined} or id = any (${ids ?? []}::uuid[])) returning id`.execute(db);
  if (rows.length === 0) return;
  const news: ChangeNews = {
    organization: '',
    resource: 'notification',
    ids: rows.length > 100 ? null : rows.map(({ id }) => id),
  };
  await sql`select pg_notify(${CHANGES_CHANNEL}, ${JSON.stringify(news)})`.execute(db);
}
