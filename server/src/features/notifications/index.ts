import { defineModule } from '../../module.ts';
import { createNotificationHooks } from './hooks.ts';
import { mountNotifications } from './routes.ts';

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
