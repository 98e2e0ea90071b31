export { AssetAccounts, PreferredAccounts } from './deferred.ts';
export { vaultScreens } from './screens.ts';
