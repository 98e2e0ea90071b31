import { defineModule } from '../../module.ts';
import { mountIndex } from './routes.ts';
import { countInZone } from './store.ts';

export { forgetDays } from './store.ts';

/**
 * The numbers of the dashboard. Database triggers count each session (migration 0217), by days in
 * the time zone of this server.
 */
export const dashboard = defineModule({
  name: 'dashboard',
  tables: [
    'session_zone',
    'session_day',
    'session_day_user',
    'session_day_asset',
    'session_last_user',
    'session_last_asset',
    'session_window',
    'session_window_user',
    'session_window_asset',
    'asset_tally',
  ],
  create({ core: { db } }) {
    return {
      service: {},
      routes: ({ http, engines }) => mountIndex(http, { db, engines }),
      start: () => countInZone(Intl.DateTimeFormat().resolvedOptions().timeZone, db),
    };
  },
});
