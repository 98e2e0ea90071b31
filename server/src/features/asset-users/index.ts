import { defineModule } from '../../module.ts';
import { assets } from '../assets/index.ts';
import { connections } from '../connections/index.ts';
import { settings } from '../settings/index.ts';
import { mountAccountSecrets } from './account-routes.ts';
import { createAccountTest } from './job.ts';
import { type AssetUserList, createAssetUserList } from './list.ts';
import { mountAssetUsers } from './routes.ts';
import { mountAccountTasks } from './task-routes.ts';

export type { AssetUserList } from './list.ts';
export { assertMaySeeSecrets } from './secrets.ts';

/**
 * The accounts on assets: their list, which one is effective, connection tests, and their secrets.
 */
export const assetUsers = defineModule({
  name: 'asset-users',
  tables: ['account_list_change'],
  create({ core: { db, vault, jobs }, use }) {
    const { accounts, clearSecrets, findings } = use(assets);
    const inForce = use(settings);
    let list: AssetUserList | undefined;
    const listInUse = (): AssetUserList => {
      if (!list) throw new Error('the list of accounts is not mounted yet');
      return list;
    };
    const test = createAccountTest({
      db,
      settings: inForce,
      findings,
      remote: use(connections).remote,
      list: listInUse,
    });
    return {
      service: {
        /** Returns the list of accounts. @throws Error before the routes are mounted */
        listOf: listInUse,
      },
      jobs: [test],
      stop: async () => list?.stop(),
      routes({ http, engines, services }) {
        list = createAssetUserList({ db, organizationName: services.organizationName });
        const options = {
          db,
          vault,
          engines,
          accounts,
          clearSecrets,
          list,
          settings: inForce,
          audit: services.audit,
        };
        mountAssetUsers(http, options);
        mountAccountSecrets(http, options);
        mountAccountTasks(http, { list, jobs, test });
      },
    };
  },
});
