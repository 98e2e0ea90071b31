import { type Language, type NotificationKind, ticket } from '@sallyport/contract';
import type { Db, Tx } from '../../../platform/db/database.ts';
import { defineHousekeeping, type JobDefinition } from '../../../platform/jobs/definition.ts';
import type { Mails } from '../../identity/index.ts';
import type { Mailer } from '../../mail/index.ts';
import { notifyUsers } from '../../notifications/index.ts';
import { type EndingGrant, takeEnded, takeEnding } from './granted.ts';

const tell = (kind: NotificationKind, { ticketId, userId, title }: EndingGrant, tx: Tx) =>
  notifyUsers(
    { kind, users: [userId], subject: title, by: '', resource: ticket.name, resourceId: ticketId },
    tx,
  );

/** Reminds requesters one day before a granted permission ends, and tells them of its end. */
export function createGrantReminders(options: {
  db: Db;
  mailer: Pick<Mailer, 'isConfigured'>;
  mails: Pick<Mails, 'enqueue'>;
  /** The language of the installation. */
  language: () => Language;
}): JobDefinition<void> {
  const { db, mailer, mails, language } = options;
  return defineHousekeeping({
    name: 'request-reminders',
    title: { en: 'Send expiry reminders for granted requests', zh: '发送授权到期提醒' },
    everyMinutes: 10,
    async run() {
      // Mail and mark share a transaction: after a crash, each requester gets exactly one mail.
      await db.transaction(async (tx) => {
        for (const grant of await takeEnding(tx)) {
          await tell('access_ends', grant, tx);
          if (!mailer.isConfigured()) continue;
          const about = { about: grant.title, page: `/ui/${ticket.path}/${grant.ticketId}` };
          await mails.enqueue(
            { kind: 'grant_ends', userId: grant.userId, language: language(), about },
            tx,
          );
        }
        for (const grant of await takeEnded(tx)) await tell('access_ended', grant, tx);
      });
    },
  });
}
