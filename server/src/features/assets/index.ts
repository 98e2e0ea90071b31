import { defineModule } from '../../module.ts';
import type { Tx } from '../../platform/db/database.ts';
import { audits } from '../audits/index.ts';
import { license } from '../license/index.ts';
import { adminUserHooks } from './account-hooks.ts';
import { createAssetAccounts, createClearSecrets } from './accounts.ts';
import { mountAdminUserRoutes } from './admin-user-routes.ts';
import {
  type AssetHookOptions,
  assertLicensed,
  createAssetHooks,
  labelHooks,
  platformHooks,
} from './asset-hooks.ts';
import { createAssetUserHooks } from './asset-user-hooks.ts';
import { assetAttention } from './attention.ts';
import { domainHooks } from './domain-hooks.ts';
import { mountEstablishedReads } from './established-routes.ts';
import { createAssetFindings } from './findings.ts';
import { gatewayHooks } from './gateway-hooks.ts';
import { mountHostKeys } from './host-key-routes.ts';
import { createHostKeys } from './host-keys.ts';
import { createNodeHooks } from './node-hooks.ts';
import { mountNodeRoutes } from './node-routes.ts';
import { forgetPreviousSecrets, mountPreviousSecrets } from './previous-secrets.ts';
import { GATHER_MILLISECONDS, gatherReferenceSums } from './reference-sums.ts';

export { createSystemUserHooks } from './account-hooks.ts';
export {
  ADMIN_SCORE,
  type AssetAccounts,
  type ClearSecrets,
  type SealedLogin,
  STORED_SCORE,
  secretContext,
} from './accounts.ts';
export { MOST_DOMAINS } from './domain-hooks.ts';
export type { AssetFindings, ConnectivityResult } from './findings.ts';
export { acceptHostKey, forgetHostKey, nameOfPin } from './host-key-changes.ts';
export { pinHostKey } from './host-keys.ts';
export { findOrAddNode, inPath } from './node-hooks.ts';
export { assetLeaf, type LeafAsset, nodeLeaf } from './node-store.ts';
export { isOnline, TODAY, useFilters, wasUsed } from './session-use.ts';
export { nameRootNode, placeOnNode, removeTree, rootOf } from './tree.ts';

/** Assets, the tree of nodes, and the accounts, domains and gateways used to reach assets. */
export const assets = defineModule({
  name: 'assets',
  tables: [
    'platform',
    'domain',
    'gateway',
    'admin_user',
    'system_account',
    'asset',
    'asset_user',
    'label',
    'label_assets',
    'host_key',
    'account_connectivity',
    'node',
    'node_assets',
    'asset_ancestor',
    'asset_reference_tally',
  ],
  create({ core: { db, vault }, use }) {
    const accounts = createAssetAccounts({ db, vault, audit: use(audits).write });
    let onCreated: NonNullable<AssetHookOptions['onCreated']> = async () => undefined;
    /** Registers the listener for new assets (jobs on servers). */
    const setOnCreated = (listener: typeof onCreated) => {
      onCreated = listener;
    };
    return {
      service: {
        hostKeys: createHostKeys(db, use(audits).write),
        findings: createAssetFindings(db),
        accounts,
        setOnCreated,
        /** Rejects new assets above the licensed number before work on them. @throws AppError */
        assertLicensed: (wanted: number, tx: Tx) =>
          assertLicensed(use(license).assetLimit(), { wanted, written: 0 }, tx),
        clearSecrets: createClearSecrets(use(audits).write),
      },
      hooks: {
        node: createNodeHooks({ audit: use(audits).write }),
        label: labelHooks,
        asset: createAssetHooks({
          assetLimit: use(license).assetLimit,
          onCreated: (ids, operation) => onCreated(ids, operation),
        }),
        admin_user: adminUserHooks,
        asset_user: createAssetUserHooks(vault),
        gateway: gatewayHooks,
        domain: domainHooks,
        platform: platformHooks,
      },
      attention: assetAttention,
      timers: [{ everyMilliseconds: GATHER_MILLISECONDS, run: () => gatherReferenceSums(db) }],
      expiry: { rows: 'previous secrets', remove: () => forgetPreviousSecrets(db) },
      routes({ http, engines, services: { audit, lockGrants } }) {
        mountNodeRoutes(http, { db, engines, audit, lockGrants });
        mountAdminUserRoutes(http, db, engines);
        mountEstablishedReads(http, engines);
        mountHostKeys(http, { db, engines, audit });
        mountPreviousSecrets(http, { db, engines, audit });
      },
    };
  },
});
