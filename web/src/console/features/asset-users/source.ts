import type { assetUser, Row } from '@sallyport/contract';

/** An account on an asset, as lists have it. */
export type AssetUser = Row<typeof assetUser>;

/** Where the secrets of accounts are. */
export const SECRETS_PATH = 'assets/asset-user-auth-infos/';
