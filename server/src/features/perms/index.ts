import { defineModule, type Site } from '../../module.ts';
import type { Db } from '../../platform/db/database.ts';
import { createSystemUserHooks } from '../assets/index.ts';
import { license } from '../license/index.ts';
import { settings } from '../settings/index.ts';
import { mountAccessRoutes } from './access-routes.ts';
import { mountAccessTreeRoutes } from './access-tree-routes.ts';
import { mountAdministrators } from './administrators.ts';
import { CLUSTER_KIND, mountAppAccess, OWN_KINDS } from './app-access-routes.ts';
import { mountAppGrants } from './app-routes.ts';
import { mountAppRules, mountNamedByRules } from './app-rule-routes.ts';
import { permissionAttention } from './attention.ts';
import { conditionHooks, networkHooks } from './condition-hooks.ts';
import { mountConsequences } from './consequences/routes.ts';
import { mountFavorites } from './favorite-routes.ts';
import { grantedApps, grantedClusters } from './granted-apps.ts';
import { isGrantedApp } from './grants/accounts.ts';
import { APP_KINDS, CLUSTERS } from './grants/kind.ts';
import { createReach } from './grants/reach.ts';
import { createGrants } from './grants/service.ts';
import { assetPermissionHooks } from './permission-hooks.ts';
import { mountGrantRoutes } from './routes.ts';
import { createRemoteAppPermissionHooks, databaseAppPermissionHooks } from './rule-hooks.ts';
import { mountPermissionSummary } from './summary-routes.ts';
import { mountSystemUserRelations } from './system-user-relations.ts';
import { mountUnusedAccess } from './unused/routes.ts';

export { checkAccess } from './access-list.ts';
export { type Approvers, approvalStages, approversOf, isApprover } from './approvers.ts';
export { createConsequences, type Planned } from './consequences/service.ts';
export { listAssets } from './granted.ts';
export { type GrantedApps, grantedApps } from './granted-apps.ts';
export {
  type AccountRow,
  accountOf,
  accountsQuery,
  appAccounts,
  checkApp,
  connects,
  type GrantedAccount,
  isAppGranted,
} from './grants/accounts.ts';
export { findGrantedAssets, listGrantedAssets } from './grants/assets.ts';
export { lockGrants, lockGrantsFor } from './grants/cache.ts';
export { joinReasons, judge, needsFactorTime, notNow } from './grants/conditions.ts';
export { IN_FORCE, rulesNaming } from './grants/coverage.ts';
export {
  APP_KINDS,
  ASSETS,
  CLUSTERS,
  DATABASE_APPS,
  type GrantKind,
  linksOf,
  REMOTE_APPS,
  ruleIn,
} from './grants/kind.ts';
export { IS_VALID_USER, mayWatch } from './grants/paths.ts';
export type { GrantService, GrantView } from './grants/service.ts';
export { allGrantedNodes, FAVORITE_ID } from './grants/tree.ts';
export { isGrouped, isUngrouped, UNGROUPED_ID } from './grants/ungrouped.ts';
export { clusterPermissionHooks } from './rule-hooks.ts';
export { favoritesOf, matchesTerms, onNode, removeFromRules } from './store.ts';
export { subjectsOf } from './subjects.ts';

/** Mounts the permissions and grants of clusters, for the feature that has them. */
export function mountClusterGrants({ http, engines, services }: Site, db: Db): void {
  mountAppAccess(http, { db, engines }, [CLUSTER_KIND]);
  mountAppGrants(http, { db, engines }, grantedClusters(engines, services));
  mountNamedByRules(http, { db, engines }, [CLUSTERS]);
}

/** Permissions, and the access that they grant to assets and applications. */
export const perms = defineModule({
  name: 'perms',
  tables: [
    'asset_permission',
    'asset_permission_users',
    'asset_permission_approvers',
    'asset_permission_approver_groups',
    'asset_permission_second_approvers',
    'asset_permission_second_approver_groups',
    'asset_permission_third_approvers',
    'asset_permission_third_approver_groups',
    'asset_permission_user_groups',
    'asset_permission_assets',
    'asset_permission_nodes',
    'asset_permission_system_users',
    'asset_permission_removed',
    'remote_app_permission',
    'remote_app_permission_users',
    'remote_app_permission_approvers',
    'remote_app_permission_approver_groups',
    'remote_app_permission_second_approvers',
    'remote_app_permission_second_approver_groups',
    'remote_app_permission_third_approvers',
    'remote_app_permission_third_approver_groups',
    'remote_app_permission_user_groups',
    'remote_app_permission_remote_apps',
    'remote_app_permission_system_users',
    'database_app_permission',
    'database_app_permission_users',
    'database_app_permission_approvers',
    'database_app_permission_approver_groups',
    'database_app_permission_second_approvers',
    'database_app_permission_second_approver_groups',
    'database_app_permission_third_approvers',
    'database_app_permission_third_approver_groups',
    'database_app_permission_user_groups',
    'database_app_permission_database_apps',
    'database_app_permission_system_users',
    'condition',
    'condition_networks',
    'network',
    'grant_version',
    'favorite_asset',
    'favorite_remote_app',
    'favorite_database_app',
    'permission_use',
  ],
  create({ core: { db, vault }, use }) {
    const values = use(settings);
    const grants = createGrants(db, () => values.get('PERM_SINGLE_ASSET_TO_UNGROUP_NODE'));
    return {
      service: grants,
      attention: permissionAttention,
      // System users have a column with the number of assets that permissions reach with them.
      hooks: {
        network: networkHooks,
        condition: conditionHooks,
        asset_permission: assetPermissionHooks,
        remote_app_permission: createRemoteAppPermissionHooks(use(license)),
        database_app_permission: databaseAppPermissionHooks,
        system_user: createSystemUserHooks(createReach(db), vault),
      },
      routes({ http, engines, services }) {
        mountAppAccess(http, { db, engines }, OWN_KINDS);
        mountAppGrants(http, { db, engines }, grantedApps(engines, services));
        mountAppRules(http, { db, engines });
        mountGrantRoutes(http, { db, engines, grants, settings: values });
        mountAccessRoutes(http, { db, engines, grants });
        mountAccessTreeRoutes(http, { db, engines });
        mountSystemUserRelations(http, db);
        mountUnusedAccess(http, { engines, services });
        mountConsequences(http, db, engines);
        mountAdministrators(http, db, use(license));
        mountPermissionSummary(http, { db, engines });
        mountFavorites(http, db, async (userId, kind, id) => {
          const subject = { userId, organizationId: undefined };
          const app = APP_KINDS.find(({ target }) => target === kind);
          return app
            ? isGrantedApp(app, subject, id, db)
            : (await grants.accounts(subject, id)).length > 0;
        });
      },
    };
  },
});
