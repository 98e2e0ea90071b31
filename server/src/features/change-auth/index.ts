import { defineModule } from '../../module.ts';
import { assets } from '../assets/index.ts';
import { connections } from '../connections/index.ts';
import { license } from '../license/index.ts';
import { settings } from '../settings/index.ts';
import { changeAuthAttention } from './attention.ts';
import { mountPlanChecks } from './check-routes.ts';
import { changeExecutionHooks, changeSubtaskHooks, createPlanHooks } from './hooks.ts';
import { createChangeJobs } from './job.ts';
import { mountChangeAuth } from './routes.ts';
import { forgetExecutions } from './store.ts';
import { mountVersions } from './version-routes.ts';

/** Plans that change passwords and keys of accounts on servers. */
export const changeAuth = defineModule({
  name: 'change-auth',
  tables: [
    'change_auth_plan',
    'change_auth_plan_assets',
    'change_auth_plan_nodes',
    'change_auth_execution',
    'change_auth_subtask',
  ],
  create({ core: { db, vault, jobs, stopping }, use }) {
    const licenses = use(license);
    const { accounts } = use(assets);
    const inForce = use(settings);
    const { remote } = use(connections);
    const kinds = createChangeJobs({
      db,
      vault,
      settings: inForce,
      license: licenses,
      accounts,
      remote,
      stopping,
    });
    return {
      service: {},
      attention: changeAuthAttention,
      hooks: {
        change_auth_plan: createPlanHooks({
          isLicensed: licenses.isLicensed,
          zone: () => jobs.zone(),
        }),
        change_auth_execution: changeExecutionHooks,
        change_auth_subtask: changeSubtaskHooks,
      },
      jobs: kinds.all,
      expiry: {
        rows: 'runs of change-auth plans',
        remove: (days) => forgetExecutions(days, db),
      },
      routes({ http, engines, services: { audit } }) {
        mountChangeAuth(http, {
          db,
          engines,
          jobs,
          kind: kinds.change,
          setVersion: kinds.setVersion,
        });
        mountPlanChecks(http, { db, engines, remote });
        mountVersions(http, {
          db,
          engines,
          jobs,
          setVersion: kinds.setVersion,
          settings: inForce,
          audit,
        });
      },
    };
  },
});
