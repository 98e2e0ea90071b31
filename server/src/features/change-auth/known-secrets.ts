import type { Vault } from '../../platform/crypto/vault.ts';
import type { Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { isLocked, publicKeyLine } from '../../platform/ssh-keys.ts';
import { type AssetAccounts, type SealedLogin, secretContext } from '../assets/index.ts';

/** The current secrets of an account. */
export interface KnownSecrets {
  readonly password?: string;
  /** Public key in OpenSSH format. */
  readonly publicKey?: string;
}

type Sealed = Pick<SealedLogin, 'table' | 'id' | 'password' | 'private_key'>;

function open({ table, id, password, private_key: key }: Sealed, vault: Vault) {
  return {
    password:
      password === null ? undefined : vault.open(password, secretContext(table, 'password', id)),
    privateKey: key === null ? undefined : vault.open(key, secretContext(table, 'private_key', id)),
  };
}

/** Reads the effective secrets of an account on an asset. */
export async function knownSecrets(
  assetId: string,
  username: string,
  { accounts, vault }: { readonly accounts: Pick<AssetAccounts, 'best'>; readonly vault: Vault },
): Promise<KnownSecrets> {
  const best = await accounts.best(assetId, username);
  if (!best) return {};
  const { password, privateKey } = open(best, vault);
  // The comment is not needed to find the key.
  const publicKey = privateKey === undefined ? undefined : publicKeyLine(privateKey, password, '');
  return {
    ...(password !== undefined && { password }),
    ...(publicKey !== undefined && { publicKey }),
  };
}

/**
 * Reads the stored secrets of an account on an asset, to keep the one that does not change. Omits a
 * key whose passphrase was the password.
 */
export async function otherSecrets(
  assetId: string,
  username: string,
  vault: Vault,
  tx: Tx,
): Promise<{ readonly password: string | undefined; readonly privateKey: string | undefined }> {
  const { rows } = await sql<Sealed>`
    select 'asset_user' as "table", id, password, private_key from asset_user
    where asset_id = ${assetId} and username = ${username} and is_latest`.execute(tx);
  const [row] = rows;
  if (!row) return { password: undefined, privateKey: undefined };
  const { password, privateKey } = open(row, vault);
  return {
    password,
    privateKey: privateKey !== undefined && isLocked(privateKey) ? undefined : privateKey,
  };
}
