import { AssetUserTable } from './AssetUserTable.tsx';

/** The accounts of one asset, with all versions that are stored. */
export function AssetAccounts({ asset }: { readonly asset: string }) {
  return <AssetUserTable embedded hidesAsset base={{ asset_id: asset }} />;
}

/** The accounts that an admin user or system user has on assets, and what is stored there for the same names. */
export function PreferredAccounts({
  kind,
  id,
}: {
  readonly kind: 'admin_user' | 'system_user';
  readonly id: string;
}) {
  return <AssetUserTable embedded base={{ prefer: kind, prefer_id: id, latest: 1 }} />;
}
