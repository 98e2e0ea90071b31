import { assetUser, formatDatetime } from '@sallyport/contract';
import type { Vault } from '../../platform/crypto/vault.ts';
import { sql } from '../../platform/db/sql.ts';
import { Invalid } from '../../platform/errors.ts';
import { hooksFor } from '../../resources/hooks.ts';
import { readKeys } from './account-hooks.ts';
import { storeSecret } from './accounts.ts';

/** Hooks of stored secrets. Creating one adds the next version of its account. */
export const createAssetUserHooks = (vault: Vault) =>
  hooksFor(assetUser, {
    columns: {
      hostname: () => sql`(select a.hostname from asset a where a.id = t.asset_id)`,
      ip: () => sql`(select a.ip from asset a where a.id = t.asset_id)`,
      backend: () => sql`'db'`,
      origin: () => sql`t.origin`,
      origin_id: () => sql`t.id::text`,
      is_best: () => sql`t.is_latest`,
      has_secret: () => sql`true`,
      connectivity: () => sql`null`,
    },
    present(rows, { caller: { zone } }) {
      for (const row of rows) {
        if ('connectivity' in row)
          row.connectivity = {
            status: 2,
            datetime: formatDatetime(row.date_created as Date, zone),
          };
      }
    },
    describe: ({ username, hostname }) => `${username}@${hostname}`,
    async beforeSave(values) {
      await readKeys(values);
      if (!values.password && !values.private_key)
        throw new Invalid({ password: [{ code: 'login_required_credentials' }] });
    },
    async insert(
      { asset, username, password, private_key: privateKey, public_key: publicKey, comment },
      { caller, tx },
    ) {
      const secret = {
        assetId: String(asset),
        username: String(username),
        password,
        privateKey,
        publicKey,
        comment,
        origin: 'user',
      } as const;
      return (await storeSecret(vault, secret, caller, tx)).id;
    },
  });
