import { notification, say } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import type { Jobs } from '../../platform/jobs/jobs.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { mountNotifications } from './routes.ts';

/** The hooks of notifications: a job without a subject has the title of its kind. */
const createNotificationHooks = (jobs: Pick<Jobs, 'kindOf'>) =>
  hooksFor(notification, {
    present(rows, { caller }) {
      for (const row of rows) {
        if (row.kind !== 'job_failed') continue;
        const kind = jobs.kindOf(String(row.subject));
        if (kind) row.subject = say(kind.title, caller.language);
      }
    },
  });

export { notifyUsers } from './store.ts';

/** News for users: requests, decisions, emergencies, failed jobs and ended access. */
export const notifications = defineModule({
  name: 'notifications',
  tables: ['notification'],
  create({ core: { db, jobs } }) {
    return {
      service: {},
      hooks: { notification: createNotificationHooks(jobs) },
      routes: ({ http }) => mountNotifications(http, db),
    };
  },
});
