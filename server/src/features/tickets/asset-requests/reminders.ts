import { ticket } from '@sallyport/contract';
import type { Db } from '../../../platform/db/database.ts';
import { defineHousekeeping, type JobDefinition } from '../../../platform/jobs/definition.ts';
import type { Mails } from '../../identity/index.ts';
import type { Mailer } from '../../mail/index.ts';
import { takeEnding } from './store.ts';

/** Reminds requesters one day before a granted permission ends. */
export function createGrantReminders(options: {
  db: Db;
  mailer: Pick<Mailer, 'isConfigured'>;
  mails: Pick<Mails, 'enqueue'>;
}): JobDefinition<void> {
  const { db, mailer, mails } = options;
  return defineHousekeeping({
    name: 'request-reminders',
    title: { en: 'Send expiry reminders for granted requests', zh: '发送授权到期提醒' },
    everyMinutes: 10,
    async run() {
      if (!mailer.isConfigured()) return;
      // Mail and mark share a transaction: after a crash, each requester gets exactly one mail.
      await db.transaction().execute(async (tx) => {
        for (const { ticketId, userId, title } of await takeEnding(tx))
          await mails.enqueue('grant_ends', userId, 'zh', tx, {
            about: title,
            page: `/ui/${ticket.path}/${ticketId}`,
          });
      });
    },
  });
}
