import { defineModule } from '../../module.ts';
import { identity } from '../identity/index.ts';
import type { ChangeServices } from './change.ts';
import { createBulkJob } from './job.ts';
import { mountBulk } from './routes.ts';

/** Changes of many objects as background jobs. */
export const bulk = defineModule({
  name: 'bulk',
  tables: [],
  create({ core: { db, jobs }, use, engine }) {
    const { current } = use(identity);
    let services: ChangeServices | undefined;
    const job = createBulkJob({
      engine,
      services: () => {
        if (!services) throw new Error('a bulk change before the routes');
        return services;
      },
      actor: current.actor,
    });
    return {
      service: {},
      jobs: [job],
      routes({ http, engines, services: { audit, lockGrants } }) {
        services = { db, audit, lockGrants };
        mountBulk(http, { db, engines, jobs, job });
      },
    };
  },
});
