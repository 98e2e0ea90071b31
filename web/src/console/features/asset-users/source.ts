import type { assetUser, Row } from '@sallyport/contract';

export type AssetUser = Row<typeof assetUser>;

/** The API path that returns secrets. */
export const SECRETS_PATH = 'assets/asset-user-auth-infos/';
