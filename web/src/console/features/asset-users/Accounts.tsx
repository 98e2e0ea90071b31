import { AssetUserTable } from './AssetUserTable.tsx';

/** The accounts of one asset, with all stored versions. */
export function AssetAccounts({ asset }: { readonly asset: string }) {
  return <AssetUserTable embedded hidesAsset base={{ asset_id: asset }} />;
}

/**
 * Lists the accounts of an admin user or system user on assets, with the secrets that assets store
 * for the same user names.
 */
export function PreferredAccounts({
  kind,
  id,
}: {
  readonly kind: 'admin_user' | 'system_user';
  readonly id: string;
}) {
  return <AssetUserTable embedded base={{ prefer: kind, prefer_id: id, latest: 1 }} />;
}
