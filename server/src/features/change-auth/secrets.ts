import { generateKeyPair, randomInt } from 'node:crypto';
import { promisify } from 'node:util';
import type { KnownAccount } from '@sallyport/contract';
import { generateSshKeyPair } from '@sallyport/ssh';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { type Sql, sql } from '../../platform/db/sql.ts';
import { isLocked, publicKeyLine } from '../../platform/ssh-keys.ts';
import { likePattern } from '../../resources/read/search.ts';
import { type AssetAccounts, type SealedLogin, secretContext } from '../assets/index.ts';

/**
 * A password has a character of each kind, which satisfies password rules. No character is special
 * in a shell or a quote, separates fields, or looks like another one.
 */
const KINDS = [
  'abcdefghijkmnopqrstuvwxyz',
  'ABCDEFGHJKLMNPQRSTUVWXYZ',
  '23456789',
  '-_.=+@%',
] as const;
const ALL = KINDS.join('');

const one = (characters: string) => characters.charAt(randomInt(characters.length));

/** Generates a random password of this length that starts with a letter. */
export function randomPassword(length: number): string {
  const rest = [
    ...KINDS.map(one),
    ...Array.from({ length: Math.max(0, length - KINDS.length - 1) }, () => one(ALL)),
  ];
  // Fisher–Yates shuffle.
  for (let index = rest.length - 1; index > 0; index -= 1) {
    const other = randomInt(index + 1);
    [rest[index], rest[other]] = [rest[other] ?? '', rest[index] ?? ''];
  }
  return one(KINDS[0]) + rest.join('');
}

const RSA_BITS = 3_072;

/**
 * Generates a private key without a passphrase: RSA if `isOld`, for servers with old SSH; otherwise
 * Ed25519.
 */
export async function randomKey(comment: string, isOld: boolean): Promise<string> {
  if (!isOld) return generateSshKeyPair(comment).private;
  const { privateKey } = await promisify(generateKeyPair)('rsa', {
    modulusLength: RSA_BITS,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return privateKey;
}

/** The accounts known on assets: stored ones, admin users, and pushed ones. */
const KNOWN = sql`(
  select stored.asset_id, stored.username from asset_user stored where stored.is_latest
  union
  select a.id, u.username from asset a join admin_user u on u.id = a.admin_user_id
    where u.username <> ''
  union
  select pushed.asset_id, pushed.username from system_user_push pushed
    where pushed.state = 'done')`;

/** Returns accounts of an organization whose name contains a text, the most frequent first. */
export async function knownAccounts(
  search: string,
  limit: number,
  organization: string,
  db: Db,
): Promise<readonly KnownAccount[]> {
  const { rows } = await sql<KnownAccount>`
    select known.username, count(*)::int as assets_amount
    from ${KNOWN} known join asset a on a.id = known.asset_id
    where a.is_active and a.org_id = ${organization}
      and lower(known.username) like ${likePattern(search.toLowerCase())}
    group by known.username order by assets_amount desc, known.username
    limit ${limit}`.execute(db);
  return rows;
}

/** Returns the assets on which an account is known. */
export async function knownOn(
  ids: readonly string[],
  username: string,
  db: Db,
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    select known.asset_id as id from ${KNOWN} known
    where known.username = ${username} and known.asset_id = any(${ids}::uuid[])`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** True if an asset (alias `t`) is active and named, or below one of the nodes. */
export const chosenAssets = (assets: readonly string[], nodes: readonly string[]): Sql =>
  sql`(t.is_active and (t.id = any(${assets}::uuid[]) or t.id in (
    select below.asset_id from asset_ancestor below where below.node_id = any(${nodes}::uuid[]))))`;

/** True if an active asset (alias `t`) knows an account and is not chosen. */
export const knowsAccount = (username: string, chosen: Sql): Sql =>
  sql`(t.is_active and not ${chosen} and t.id in (
    select known.asset_id from ${KNOWN} known where known.username = ${username}))`;

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
