import type { Credentials, Login } from '../../gateway/ports.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { executePrepared, sql } from '../../platform/db/sql.ts';
import type { AssetAccounts, SealedLogin } from '../assets/index.ts';
import type { CertificateIssuer } from '../ssh-authorities/index.ts';

/** The stored secrets of a system user. */
export interface OwnSecrets {
  readonly password: string | null;
  readonly private_key: string | null;
  readonly login_mode: string;
}

/** An account at a target, whose secrets are sealed. */
export interface SealedAccount {
  readonly systemUserId: string;
  readonly assetId: string;
  readonly username: string;
  readonly own: OwnSecrets;
  /** Reads the secret that precedes for the username on the asset. */
  readonly best: () => Promise<SealedLogin | undefined>;
}

export interface LoginParts {
  readonly vault: Vault;
  readonly certificates: CertificateIssuer;
}

/** Opens the secrets of an account; undefined if the user must be asked. */
export async function openAccount(
  { vault, certificates }: LoginParts,
  { systemUserId, assetId, username, own, best }: SealedAccount,
): Promise<Login | undefined> {
  if (own.login_mode === 'manual') return undefined;
  if (own.login_mode === 'certificate')
    return {
      username,
      certify: (session) => certificates.issue({ systemUserId, username, assetId, session }),
    };
  // VNC desktops with a password only have no username, so no asset user can match.
  if (username === '')
    return own.password
      ? { username, ...openLogin(vault, 'system_account', systemUserId, own) }
      : undefined;
  const secret = await best();
  return (
    secret && {
      username,
      ...openBest(vault, { ...own, table: 'system_account', id: systemUserId }, secret),
    }
  );
}

/** Opens sealed credentials at the moment of connecting. */
export function createCredentials({
  db,
  accounts,
  ...parts
}: LoginParts & { readonly db: Db; readonly accounts: AssetAccounts }): Credentials {
  return {
    async open(systemUserId, assetId, username) {
      const [own] = await executePrepared(
        sql<OwnSecrets & { username: string }>`
        select username, password, private_key, login_mode from system_account
          where id = ${systemUserId}`,
        db,
      );
      if (!own) return undefined;
      const name = username || own.username;
      const best = () => accounts.best(assetId, name, { kind: 'system_user', id: systemUserId });
      return openAccount(parts, { systemUserId, assetId, username: name, own, best });
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
