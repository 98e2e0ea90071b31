import { defineModule } from '../../module.ts';
import { connections } from '../connections/index.ts';
import { license } from '../license/index.ts';
import { settings } from '../settings/index.ts';
import {
  createGatherTaskHooks,
  gatherExecutionHooks,
  gatheredUserHooks,
  gatherResultHooks,
} from './hooks.ts';
import { createGatherJob } from './job.ts';
import { mountGathering } from './routes.ts';

/** Gather tasks, which read the accounts that exist on servers. */
export const gathering = defineModule({
  name: 'gathering',
  tables: [
    'gathered_user',
    'gather_user_task',
    'gather_user_task_nodes',
    'gather_user_execution',
    'gather_user_result',
  ],
  create({ core: { db, jobs }, use }) {
    const licenses = use(license);
    const kind = createGatherJob({
      db,
      settings: use(settings),
      license: licenses,
      remote: use(connections).remote,
    });
    return {
      service: {},
      hooks: {
        gathered_user: gatheredUserHooks,
        gather_user_task: createGatherTaskHooks({
          isLicensed: licenses.isLicensed,
          zone: () => jobs.zone(),
        }),
        gather_user_execution: gatherExecutionHooks,
        gather_user_result: gatherResultHooks,
      },
      jobs: [kind],
      routes: ({ http, engines }) => mountGathering(http, { db, engines, jobs, kind }),
    };
  },
});
