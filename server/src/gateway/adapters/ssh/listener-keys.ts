import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { generateSshKeyPair, parseKey } from '@sallyport/ssh';
import type { Config } from '../../../config.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import type { Db } from '../../../platform/db/database.ts';
import { sql } from '../../../platform/db/sql.ts';

/** Types of host keys, by the first word of a public key line. */
const TYPES = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ssh-rsa'] as const;
type KeyType = (typeof TYPES)[number];

/** Row type of the host CA key. It is no host key. */
const AUTHORITY = 'host-ca';

const RSA_BITS = 3072;
const COMMENT = 'sallyport';

export interface ListenerKey {
  readonly type: string;
  readonly privateKey: string;
  /** Type and key in the format of `known_hosts`. */
  readonly publicKey: string;
}

/**
 * Returns the host keys of the SSH listener; creates missing ones. Servers that start at the same
 * time agree on one set.
 */
export async function ensureListenerKeys(db: Db, vault: Vault): Promise<ListenerKey[]> {
  const known = await readKeys(db, vault);
  const missing = TYPES.filter((type) => !known.some((key) => key.type === type));
  if (missing.length === 0) return known;
  for (const type of missing) {
    const { privateKey, publicKey } = await makeKey(type);
    const sealed = vault.seal(privateKey, contextOf(type));
    await sql`insert into listener_key (type, private_key, public_key)
      values (${type}, ${sealed}, ${publicKey})
      on conflict (type) do nothing`.execute(db);
  }
  return readKeys(db, vault);
}

/**
 * Returns the host CA key, created when missing. It signs host certificates for sessions through
 * `ssh -J`.
 */
export async function ensureHostAuthority(db: Db, vault: Vault): Promise<ListenerKey> {
  const known = await readAuthority(db, vault);
  if (known) return known;
  const { privateKey, publicKey } = await makeKey('ssh-ed25519');
  const sealed = vault.seal(privateKey, contextOf(AUTHORITY));
  await sql`insert into listener_key (type, private_key, public_key)
    values (${AUTHORITY}, ${sealed}, ${publicKey})
    on conflict (type) do nothing`.execute(db);
  const created = await readAuthority(db, vault);
  if (!created) throw new Error('the key of the host CA was deleted');
  return created;
}

async function readAuthority(db: Db, vault: Vault): Promise<ListenerKey | undefined> {
  const { rows } = await sql<{
    private_key: string;
    public_key: string;
  }>`select private_key, public_key from listener_key where type = ${AUTHORITY}`.execute(db);
  return (
    rows[0] && {
      type: AUTHORITY,
      privateKey: vault.open(rows[0].private_key, contextOf(AUTHORITY)),
      publicKey: rows[0].public_key,
    }
  );
}

/** Returns the public key of the host CA; empty before the first start of the listener. */
export async function readHostAuthority(db: Db): Promise<string> {
  const { rows } = await sql<{
    public_key: string;
  }>`select public_key from listener_key where type = ${AUTHORITY}`.execute(db);
  return rows[0]?.public_key ?? '';
}

/** The `known_hosts` line that trusts the host CA for matching server names. */
export const authorityLine = (publicKey: string, names = '*'): string =>
  `@cert-authority ${names} ${publicKey}`;

/** Public keys of the listener in the format of `known_hosts`. */
export async function readPublicKeys(db: Db): Promise<string[]> {
  const { rows } = await sql<{
    public_key: string;
  }>`select public_key from listener_key where type <> ${AUTHORITY}`.execute(db);
  return TYPES.flatMap((type) =>
    rows.map((row) => row.public_key).filter((key) => key.startsWith(`${type} `)),
  );
}

/**
 * The name of this bastion in `known_hosts`: the host of the public URL, or the listening address.
 */
export function knownHostsName({
  publicUrl,
  sshHost,
  sshPort,
}: Pick<Config, 'publicUrl' | 'sshHost' | 'sshPort'>): string {
  const host = publicUrl
    ? new URL(publicUrl).hostname
    : ['0.0.0.0', '::'].includes(sshHost)
      ? 'localhost'
      : sshHost;
  return sshPort === 22 || sshPort === 0 ? host : `[${host}]:${sshPort}`;
}

async function readKeys(db: Db, vault: Vault): Promise<ListenerKey[]> {
  const { rows } = await sql<{
    type: string;
    private_key: string;
    public_key: string;
  }>`select type, private_key, public_key from listener_key where type <> ${AUTHORITY}`.execute(db);
  const keys = rows.map(({ type, private_key, public_key }) => ({
    type,
    privateKey: vault.open(private_key, contextOf(type)),
    publicKey: public_key,
  }));
  return TYPES.flatMap((type) => keys.filter((key) => key.type === type));
}

const contextOf = (type: string) => `listener_key.private_key.${type}`;

async function makeKey(
  type: KeyType,
): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const privateKey =
    type === 'ssh-ed25519' ? generateSshKeyPair(COMMENT).private : await makePem(type);
  const parsed = parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return { privateKey, publicKey: `${type} ${parsed.getPublicSSH().toString('base64')}` };
}

async function makePem(type: Exclude<KeyType, 'ssh-ed25519'>): Promise<string> {
  const generate = promisify(generateKeyPair);
  const pair =
    type === 'ssh-rsa'
      ? await generate('rsa', { modulusLength: RSA_BITS })
      : await generate('ec', { namedCurve: 'prime256v1' });
  return String(
    pair.privateKey.export({ type: type === 'ssh-rsa' ? 'pkcs1' : 'sec1', format: 'pem' }),
  );
}
