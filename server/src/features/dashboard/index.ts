import { defineModule } from '../../module.ts';
import { mountIndex } from './routes.ts';
import { countInZone, countOlderSessions } from './store.ts';

export { forgetDays } from './store.ts';

/**
 * The numbers of the dashboard. Database triggers count each session, by days in the time zone of
 * this server.
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
  create({ core: { db, log } }) {
    const stopping = new AbortController();
    let counting: Promise<void> | undefined;
    return {
      service: {},
      routes: ({ http, engines }) => mountIndex(http, { db, engines }),
      start: async () => {
        if (await countInZone(Intl.DateTimeFormat().resolvedOptions().timeZone, db)) return;
        counting = countOlderSessions(db, stopping.signal).catch((error: unknown) =>
          log.error({ err: error }, 'sessions could not be counted by days'),
        );
      },
      stop: async () => {
        stopping.abort();
        await counting;
      },
    };
  },
});
