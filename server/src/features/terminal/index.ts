import { defineModule } from '../../module.ts';
import { audits } from '../audits/index.ts';
import { servers } from '../servers/index.ts';
import { mountSessionsByDay } from './by-day-routes.ts';
import { checkSessions } from './check-sessions.ts';
import { commandHooks, sessionHooks } from './hooks.ts';
import { shareRecordings } from './recordings-elsewhere.ts';
import { mountCommandReport } from './report-routes.ts';
import { mountTerminalRoutes } from './routes.ts';
import { snippetHooks } from './snippet-hooks.ts';
import { mountTimeline } from './timeline-routes.ts';

/** Terminal sessions, their commands and recordings. */
export const terminal = defineModule({
  name: 'terminal',
  tables: ['session', 'command', 'snippet', 'session_digest'],
  create({ core: { db, bus, recordings }, use }) {
    const shared = shareRecordings(recordings, use(servers));
    use(audits).verifier.compareSessions((until) => checkSessions({ db, recordings: shared }, until));
    return {
      service: {},
      hooks: { session: sessionHooks, command: commandHooks, snippet: snippetHooks },
      routes({ http, engines, services: { audit } }) {
        mountSessionsByDay(http, { db, engines });
        mountTimeline(http, { db, engines });
        mountCommandReport(http, { engines });
        mountTerminalRoutes(http, {
          db,
          engines,
          audit,
          recordings: shared,
          terminate: (id, who, why) => bus.publish('terminate', JSON.stringify({ id, who, why })),
        });
      },
    };
  },
});
