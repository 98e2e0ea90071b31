import { sql } from 'kysely';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Tx } from '../../platform/db/database.ts';
import { isLocked, publicKeyLine } from '../../platform/ssh-keys.ts';
import { type AssetAccounts, type SealedLogin, secretContext } from '../assets/accounts.ts';

/** What is known of an account before it is changed. */
export interface KnownSecrets {
  readonly password?: string;
  /** The public half of its key, as a line of OpenSSH. */
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

/** The secrets that count for an account on an asset at this moment. */
export async function knownSecrets(
  assetId: string,
  username: string,
  { accounts, vault }: { readonly accounts: Pick<AssetAccounts, 'best'>; readonly vault: Vault },
): Promise<KnownSecrets> {
  const best = await accounts.best(assetId, username);
  if (!best) return {};
  const { password, privateKey } = open(best, vault);
  // The comment of a key may be anything; it is not needed to find the key.
  const publicKey = privateKey === undefined ? undefined : publicKeyLine(privateKey, password, '');
  return {
    ...(password !== undefined && { password }),
    ...(publicKey !== undefined && { publicKey }),
  };
}

/**
 * What is stored for an account on an asset and stays when one of its secrets changes. A key whose
 * passphrase was the password is not among it.
 */
export async function storedBeside(
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
