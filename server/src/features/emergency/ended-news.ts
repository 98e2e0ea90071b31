import { ticket } from '@sallyport/contract';
import type { Db, Tx } from '../../platform/db/database.ts';
import { defineHousekeeping, type JobDefinition } from '../../platform/jobs/definition.ts';
import { notifyUsers } from '../notifications/index.ts';
import { takeEnded } from './activation-store.ts';

/** Tells reviewers of emergency access that has ended: its recordings can be reviewed. */
export async function tellEnded(tx: Tx): Promise<void> {
  for (const { ticketId, title, reviewers } of await takeEnded(tx))
    await notifyUsers(
      {
        kind: 'emergency_ended',
        users: reviewers,
        subject: title,
        by: '',
        resource: ticket.name,
        resourceId: ticketId,
      },
      tx,
    );
}

/** Notices emergency access that has expired. An early end tells the reviewers at once. */
export function createEndedNews(db: Db): JobDefinition<void> {
  return defineHousekeeping({
    name: 'emergency-ended',
    title: { en: 'Tell reviewers of ended emergency access', zh: '通知复核人紧急访问已结束' },
    everyMinutes: 5,
    run: () => db.transaction(tellEnded),
  });
}
