import { JOB_SOCKET_PATH, Permission } from '@sallyport/contract';
import { socketRoute } from '../../http/socket.ts';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { servers } from '../servers/index.ts';
import { jobAttention } from './attention.ts';
import { mountCelery } from './celery-routes.ts';
import { createJobHooks } from './hooks.ts';
import { createLogSockets, LOG_SOCKET_PATH } from './log-socket.ts';
import { mountMonitor } from './monitor-routes.ts';
import { mountPeriods } from './period-routes.ts';
import { mountJobs } from './routes.ts';
import { createJobSockets } from './socket.ts';

export { outcomeIn, outcomeOfRun, presentStates } from './conditions.ts';

/**
 * Background work for users: the list of jobs, their logs, cancel and retry, and a socket that
 * shows one live.
 */
export const jobs = defineModule({
  name: 'jobs',
  tables: [],
  create({ core: { db, bus, jobs: runner }, use }) {
    const { authenticator } = use(identity);
    return {
      service: {},
      attention: jobAttention,
      hooks: { job: createJobHooks(runner) },
      routes({ http, engines, services: { audit } }) {
        mountPeriods(http, runner);
        mountJobs(http, { db, engines, jobs: runner, audit });
        mountCelery(http, { db, engines });
        mountMonitor(http, { db, jobs: runner, self: use(servers) });
        socketRoute(http, {
          url: LOG_SOCKET_PATH,
          access: Permission.USE,
          area: 'jobs',
          summary: 'The log of a job as text for a terminal; the client names the job.',
          handler: createLogSockets({ db, engines, authenticator }),
        });
        const show = createJobSockets({ db, engines, jobs: runner, authenticator, bus });
        socketRoute(http, {
          url: JOB_SOCKET_PATH,
          access: Permission.USE,
          area: 'jobs',
          isReopened: true,
          summary: 'A job live: its state, progress and lines.',
          handler: show,
        });
      },
    };
  },
});
