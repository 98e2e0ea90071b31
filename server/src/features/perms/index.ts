import { defineModule } from '../../module.ts';
import { createSystemUserHooks } from '../assets/account-hooks.ts';
import { settings } from '../settings/index.ts';
import { mountAccessRoutes } from './access-routes.ts';
import { mountAccessTreeRoutes } from './access-tree-routes.ts';
import { mountConsequences } from './consequences/routes.ts';
import { mountFavorites } from './favorite-routes.ts';
import { createReach } from './grants/reach.ts';
import { createGrants } from './grants/service.ts';
import { assetPermissionHooks } from './permission-hooks.ts';
import { mountGrantRoutes } from './routes.ts';
import { mountPermissionSummary } from './summary-routes.ts';
import { mountUnusedAccess } from './unused/routes.ts';
import { mountWhomToAsk } from './whom-to-ask-routes.ts';

/** Who may use which asset by which account: the rules, and what they grant. */
export const perms = defineModule({
  name: 'perms',
  tables: [
    'asset_permission',
    'asset_permission_users',
    'asset_permission_user_groups',
    'asset_permission_assets',
    'asset_permission_nodes',
    'asset_permission_system_users',
    'asset_permission_removed',
    'grant_version',
    'favorite_asset',
    'permission_use',
  ],
  create({ core: { db, vault }, use }) {
    const grants = createGrants(db);
    return {
      service: grants,
      // How many assets a system user reaches follows from the rules.
      hooks: { asset_permission: assetPermissionHooks, system_user: createSystemUserHooks(createReach(db), vault) },
      routes({ http, engines }) {
        mountGrantRoutes(http, { db, engines, grants, settings: use(settings) });
        mountAccessRoutes(http, { db, engines, grants });
        mountAccessTreeRoutes(http, { db, engines });
        mountUnusedAccess(http, { db, engines });
        mountConsequences(http, db, engines);
        mountWhomToAsk(http, db);
        mountPermissionSummary(http, { db, engines });
        mountFavorites(http, db, async (userId, assetId) => (await grants.accounts({ userId, organizationId: undefined }, assetId)).length > 0);
      },
    };
  },
});
