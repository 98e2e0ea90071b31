import { alert } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { sql } from '../../platform/db/sql.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { attentionFilter } from '../../resources/read/scope.ts';
import { named } from '../../resources/relations/named-objects.ts';
import { agents } from '../agents/index.ts';
import { settings } from '../settings/index.ts';
import { tickets } from '../tickets/index.ts';
import { alertAttention } from './attention.ts';
import { createAlertJob, createForgetHabitsJob } from './jobs.ts';
import { openCountries } from './new-countries.ts';
import { alertReusedToken } from './reused-token.ts';
import { mountAlerts } from './routes.ts';
import { ALERT_ATTENTION, forgetAlerts } from './store.ts';

export { alertLostChanges } from './lost-changes.ts';
export { alertRecovery } from './recovered.ts';

const alertHooks = hooksFor(alert, {
  filters: { attention: attentionFilter(ALERT_ATTENTION) },
  columns: {
    sign_in: () => sql`t.sign_in::text`,
    session: () => sql`t.session::text`,
    links: () => sql`jsonb_build_object('user', ${named('user', sql`nullif(t.user_id, '')`)})`,
  },
});

/** Alerts of unusual sign-ins and access, for administrators and auditors. */
export const alerts = defineModule({
  name: 'alerts',
  tables: [
    'alert',
    'alert_cursor',
    'alert_queue',
    'sign_in_place',
    'sign_in_hour',
    'account_use',
    'denial_count',
  ],
  create({ core: { config, db, stopping }, use }) {
    const { tellUsers } = use(tickets);
    use(agents).onReusedToken((reused, tx) =>
      alertReusedToken(reused, { tellUsers, language: use(settings).get('SERVER_LANGUAGE') }, tx),
    );
    return {
      service: {},
      hooks: { alert: alertHooks },
      attention: alertAttention,
      routes: ({ http, services: { audit } }) => mountAlerts(http, { db, audit }),
      expiry: { rows: 'alerts', like: 'login_log', remove: (days) => forgetAlerts(days, db) },
      jobs: [
        createAlertJob({
          db,
          settings: use(settings),
          tellUsers,
          countryOf: openCountries(config.countryDatabase),
          stopping,
        }),
        createForgetHabitsJob(db),
      ],
    };
  },
});
