import type { Credentials, Login } from '../../gateway/ports.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { executePrepared } from '../../platform/db/prepared.ts';
import { sql } from '../../platform/db/sql.ts';
import type { AssetAccounts, SealedLogin } from '../assets/index.ts';
import type { CertificateIssuer } from '../ssh-authorities/index.ts';

/** Opens sealed credentials at the moment of connecting. */
export function createCredentials({
  db,
  vault,
  accounts,
  certificates,
}: {
  readonly db: Db;
  readonly vault: Vault;
  readonly accounts: AssetAccounts;
  readonly certificates: CertificateIssuer;
}): Credentials {
  return {
    async open(systemUserId, assetId, username) {
      const [row] = await executePrepared(
        sql<{
          username: string;
          password: string | null;
          private_key: string | null;
          login_mode: string;
        }>`
        select username, password, private_key, login_mode from system_account
          where id = ${systemUserId}`,
        db,
      );
      if (!row || row.login_mode === 'manual') return undefined;
      const name = username || row.username;
      if (row.login_mode === 'certificate')
        return {
          username: name,
          certify: (session) =>
            certificates.issue({ systemUserId, username: name, assetId, session }),
        };
      // VNC desktops with a password only have no username, so no asset user can match.
      if (name === '')
        return row.password
          ? { username: name, ...openLogin(vault, 'system_account', systemUserId, row) }
          : undefined;
      const best = await accounts.best(assetId, name, { kind: 'system_user', id: systemUserId });
      return (
        best && {
          username: name,
          ...openBest(vault, { ...row, table: 'system_account', id: systemUserId }, best),
        }
      );
    },
  };
}

type Secrets = Pick<Login, 'password' | 'privateKey' | 'passphrase'>;

/**
 * Secrets of a system user or admin user, each part replaced by the one stored for the asset. A
 * stored key brings its own passphrase.
 */
export function openBest(
  vault: Vault,
  own: Omit<SealedLogin, 'username'>,
  best: SealedLogin,
): Secrets {
  const { password, privateKey, passphrase } = openLogin(vault, own.table, own.id, own);
  if (best.table !== 'asset_user') return openLogin(vault, best.table, best.id, best);
  const stored = openLogin(vault, best.table, best.id, best);
  if (stored.privateKey !== undefined)
    return { ...(password !== undefined && { password }), ...stored };
  return {
    ...(privateKey !== undefined && { privateKey }),
    ...(passphrase !== undefined && { passphrase }),
    ...stored,
  };
}

export function openLogin(
  vault: Vault,
  table: string,
  id: string,
  row: { password: string | null; private_key: string | null },
): Secrets {
  const password = row.password ? vault.open(row.password, `${table}.password.${id}`) : undefined;
  if (!row.private_key) return password === undefined ? {} : { password };
  const privateKey = vault.open(row.private_key, `${table}.private_key.${id}`);
  // The password next to a key is the key's passphrase; it may be the account's password too.
  return { privateKey, ...(password !== undefined && { passphrase: password, password }) };
}
