import { Permission } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { displayName } from '../../platform/actor.ts';
import { assets } from '../assets/index.ts';
import { connections } from '../connections/index.ts';
import { perms } from '../perms/index.ts';
import { settings } from '../settings/index.ts';
import { createCommandHooks } from './commands/hooks.ts';
import { createCommandJobs } from './commands/job.ts';
import { mountCommands } from './commands/routes.ts';
import { mountGatewayTest } from './gateway-routes.ts';
import { createOpsJobs } from './jobs.ts';
import { createPushCheck } from './push/check.ts';
import { pushHooks } from './push/hooks.ts';
import { createPushJobs } from './push/jobs.ts';
import { mountOps, mountSeveralAssets } from './routes.ts';
import { createTaskHooks } from './tasks/hooks.ts';
import { createTaskJobs } from './tasks/job.ts';
import { mountPeriodTasks } from './tasks/period-task-routes.ts';
import { mountTasks } from './tasks/routes.ts';

export { ON_ASSETS } from './jobs.ts';
export { type AssetJobOptions, connectivityOf, createLines } from './run-on-assets.ts';
export { countOf, pagesOf } from './store.ts';
export { words as opsWords } from './words.ts';

/** Pushes requested within this time share one job, because many assets are often bound at once. */
const GATHER_MILLISECONDS = 2_000;

/**
 * Jobs on the servers of assets: connection tests, hardware, pushed accounts and batch commands.
 */
export const ops = defineModule({
  name: 'ops',
  tables: [
    'command_execution',
    'command_execution_host',
    'system_user_push',
    'system_user_push_wanted',
    'ops_task',
    'adhoc',
    'adhoc_execution',
    'adhoc_execution_host',
  ],
  create({ core: { db, jobs, bus, log }, use }) {
    const { remote, commands: work } = use(connections);
    const inForce = use(settings);
    const options = { db, settings: inForce, remote };
    const grants = use(perms);
    const commands = createCommandJobs({ db, grants, settings: inForce, work, log });
    const kinds = createOpsJobs({ ...options, findings: use(assets).findings });
    const pushes = createPushJobs({ ...options, jobs });
    const check = createPushCheck(options);
    let gathering: NodeJS.Timeout | undefined;
    const gatherSoon = () => {
      gathering ??= setTimeout(() => {
        gathering = undefined;
        pushes
          .gather()
          .catch((error: unknown) =>
            log.error({ error: String(error) }, 'could not enqueue pushes'),
          );
      }, GATHER_MILLISECONDS).unref();
    };
    bus.subscribe('system_user_push', gatherSoon, gatherSoon);
    use(assets).setOnCreated(async (ids, { caller: { actor, language, zone }, tx }) => {
      if (!inForce.get('ASSET_TEST_NEW')) return;
      const caller = {
        userId: actor.userId,
        name: displayName(actor),
        organization: actor.organization.id,
        permissions: Permission.ADMIN,
        language,
        zone,
      };
      await jobs.enqueue(kinds.test, { kind: 'assets', ids }, { tx, caller });
    });
    return {
      service: {},
      jobs: [
        ...kinds.all,
        ...commands.all,
        ...pushes.all,
        check,
        ...createTaskJobs({ db, jobs, settings: inForce }),
      ],
      hooks: {
        ...createCommandHooks(inForce),
        system_user_push: pushHooks,
        ...createTaskHooks(inForce, jobs),
      },
      routes({ http, engines }) {
        mountOps(http, { engines, jobs, kinds, push: pushes.push, check });
        mountSeveralAssets(http, { engines, jobs, kinds });
        mountTasks(http, { db, engines, jobs });
        mountPeriodTasks(http, { db, engines });
        mountGatewayTest(http, { engines, remote });
        mountCommands(http, {
          db,
          engines,
          jobs,
          grants,
          settings: inForce,
          work,
          run: commands.run,
        });
      },
      stop: () => clearTimeout(gathering),
    };
  },
});
