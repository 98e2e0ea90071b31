import { defineModule } from '../../module.ts';
import { serverZone } from '../../platform/settings/service.ts';
import { settings } from '../settings/index.ts';
import { mountIndex } from './routes.ts';
import { countInZone, countOlderSessions, forgetDays } from './zone.ts';

/**
 * The numbers of the dashboard. Database triggers count each session, by days in the time zone of
 * the settings.
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
  create({ core: { db, replica, log }, use }) {
    const stopping = new AbortController();
    let counted = '';
    let counting: Promise<void> = Promise.resolve();
    const report = (error: unknown) => {
      if (!stopping.signal.aborted)
        log.error({ err: error }, 'sessions could not be counted by days');
    };
    /** Counts by the days of the zone of the settings, if the zone is another one. */
    const count = async () => {
      const zone = serverZone(use(settings));
      if (zone === counted) return;
      counted = zone;
      const isDone = await countInZone(zone, db).catch((error: unknown) => {
        counted = '';
        throw error;
      });
      if (!isDone) counting = counting.then(() => countOlderSessions(db, stopping.signal));
      counting = counting.catch(report);
    };
    return {
      service: {},
      routes: ({ http, engines }) => mountIndex(http, { db, replica, engines }),
      expiry: { rows: 'days of the dashboard', remove: () => forgetDays(db) },
      start: async () => {
        use(settings).onReload(() => void count().catch(report));
        await count();
      },
      stop: async () => {
        stopping.abort();
        await counting;
      },
    };
  },
});
