import { JOB_SOCKET_PATH, Permission } from '@sallyport/contract';
import { socketRoute } from '../../http/socket.ts';
import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import { createJobHooks } from './hooks.ts';
import { mountJobs } from './routes.ts';
import { createJobSockets } from './socket.ts';

/** Background work as people see it: the list of jobs, their log, canceling and repeating them, and a socket that shows one live. */
export const jobs = defineModule({
  name: 'jobs',
  tables: [],
  create({ core: { db, bus, jobs: runner }, use }) {
    const { authenticator } = use(identity);
    return {
      service: {},
      hooks: { job: createJobHooks(runner) },
      routes({ http, engines, services: { audit } }) {
        mountJobs(http, { db, engines, jobs: runner, audit });
        const show = createJobSockets({ db, engines, jobs: runner, authenticator, bus });
        socketRoute(http, { url: JOB_SOCKET_PATH, access: Permission.USE, summary: 'A job live: its state, progress and lines.', handler: show });
      },
    };
  },
});
