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
import { createCommandIndexes } from './stored-commands/storages.ts';
import { createStoredCommands } from './stored-commands/texts.ts';
import { mountTimeline } from './timeline-routes.ts';

/** Terminal sessions, their commands and recordings. */
export const terminal = defineModule({
  name: 'terminal',
  tables: ['session', 'command', 'command_removal', 'snippet', 'session_digest'],
  create({ core: { db, bus, recordings, vault, log }, use }) {
    const stored = createStoredCommands({ db, indexes: createCommandIndexes(vault), log });
    const shared = shareRecordings(recordings, use(servers));
    use(audits).verifier.compareSessions((until) => checkSessions({ db, recordings: shared, stored }, until));
    return {
      service: {},
      hooks: { session: sessionHooks, command: commandHooks(stored), snippet: snippetHooks },
      routes({ http, engines, services: { audit } }) {
        mountSessionsByDay(http, { db, engines });
        mountTimeline(http, { db, engines, stored });
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
