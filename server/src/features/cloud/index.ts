import { asset } from '@sallyport/contract';
import { defineModule } from '../../module.ts';
import { createAddressPolicy } from '../../platform/address-policy.ts';
import { license } from '../license/index.ts';
import { createAccountHooks, createTaskHooks, executionHooks, instanceHooks } from './hooks.ts';
import { createCloudJobs } from './jobs.ts';
import { mountCloud } from './routes.ts';

/** Creates assets from instances of cloud providers. */
export const cloud = defineModule({
  name: 'cloud',
  tables: ['cloud_account', 'cloud_sync_task', 'cloud_sync_execution', 'cloud_instance'],
  create({ core: { db, vault, jobs, config, stopping }, use, engine }) {
    const licenses = use(license);
    const policy = createAddressPolicy(config.targetNetworks, () => [
      config.httpPort,
      config.sshPort,
    ]);
    const { sync, test, upkeep } = createCloudJobs({
      db,
      vault,
      policy,
      license: licenses,
      writer: () => engine(asset).writer,
    });
    return {
      service: {},
      hooks: {
        cloud_account: createAccountHooks({ isLicensed: licenses.isLicensed, jobs, test }),
        cloud_sync_task: createTaskHooks({
          isLicensed: licenses.isLicensed,
          zone: () => jobs.zone(),
        }),
        cloud_sync_execution: executionHooks,
        cloud_instance: instanceHooks,
      },
      jobs: [sync, test, upkeep],
      routes: ({ http, engines }) =>
        mountCloud(http, { db, vault, policy, stopping, engines, jobs, sync }),
    };
  },
});
