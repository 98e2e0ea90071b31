import { defineModule } from '../../module.ts';
import { assets } from '../assets/index.ts';
import { settings } from '../settings/index.ts';
import { createOpsJobs } from './jobs.ts';
import type { RemoteWork } from './remote-work.ts';
import { mountOps } from './routes.ts';

/** Work on the servers of assets: whether they can be reached, and what they are. */
export const ops = defineModule({
  name: 'ops',
  tables: [],
  create({ core: { db, jobs }, use }) {
    let remote: RemoteWork | undefined;
    const inForce = use(settings);
    const kinds = createOpsJobs({
      db,
      findings: use(assets).findings,
      settings: inForce,
      remote: () => {
        if (!remote) throw new Error('work on servers before the gateway');
        return remote;
      },
    });
    return {
      service: {
        /** The gateway brings the connections. */
        setRemoteWork(work: RemoteWork): void {
          remote = work;
        },
      },
      jobs: kinds.all,
      routes({ http, engines }) {
        mountOps(http, { engines, jobs, kinds });
      },
    };
  },
});
