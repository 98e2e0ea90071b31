import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '@sallyport/contract';
import { StartError } from '../../config.ts';
import type { Db, Tx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import {
  areFacts,
  type LicenseDocument,
  type LicenseFacts,
  publicKeyOf,
  refusedLicense,
  signLicense,
} from './document.ts';

const KEY_FILE = 'license.key';
const EXAMPLE =
  "Example: license issue corporation='Example Ltd' expired=2027-01-31 asset_count=5000 edition=enterprise subscription_id=S-2026-0001";
const NAMES = ['subscription_id', 'corporation', 'expired', 'asset_count', 'edition'];

/**
 * Returns the private key that signs licenses. Creates it at first use, readable by this account
 * only.
 */
function privateKey(directory: string): string {
  const file = join(directory, KEY_FILE);
  if (!existsSync(file)) {
    const { privateKey: created } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    writeFileSync(file, created, { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(file, 'utf8');
}

/** Parses `name=value` words. @throws StartError */
function factsOf(words: readonly string[]): Record<string, unknown> {
  const pairs = words.map(
    (word) => word.split(/=(.*)/s).slice(0, 2) as [string, string | undefined],
  );
  const unknown = pairs.find(([name, value]) => !NAMES.includes(name) || value === undefined);
  if (unknown) throw new StartError(`license issue does not know "${unknown[0]}". ${EXAMPLE}`);
  const input: Record<string, unknown> = Object.fromEntries(pairs);
  return {
    subscription_id: `S-${new Date().toISOString().slice(0, 10)}`,
    edition: 'enterprise',
    ...input,
    asset_count: Number(input.asset_count ?? Number.NaN),
  };
}

/** The issuer of licenses: a data directory with the private key, and the configured public key. */
export interface Issuer {
  readonly dataDirectory: string;
  readonly licensePublicKey: string | undefined;
}

/** Signs a license with the key in the data directory, and stores its public key. */
async function sign(db: Db | Tx, facts: LicenseFacts, key: string): Promise<LicenseDocument> {
  const publicKey = publicKeyOf(key);
  await sql`insert into license_key (public_key) values (${publicKey})
    on conflict (only_row) do update set public_key = excluded.public_key`.execute(db);
  await sql`select pg_notify('settings', '')`.execute(db);
  const { subscription_id, corporation, expired, asset_count, edition } = facts;
  return signLicense({ subscription_id, corporation, expired, asset_count, edition }, key);
}

/** Signs a license with facts from the command line. @throws StartError */
export async function issueLicense(
  db: Db,
  { dataDirectory, licensePublicKey }: Issuer,
  words: readonly string[],
): Promise<{ readonly license: LicenseDocument; readonly publicKey: string }> {
  const facts = factsOf(words);
  if (!areFacts(facts))
    throw new StartError(
      `A license needs a corporation, the day on which it ends, and the number of assets it covers (0: as many as there are). ${EXAMPLE}`,
    );
  const key = privateKey(dataDirectory);
  const publicKey = publicKeyOf(key);
  if (licensePublicKey !== undefined && licensePublicKey !== publicKey)
    throw new StartError(
      `SALLYPORT_LICENSE_PUBLIC_KEY is another key than that of ${join(dataDirectory, KEY_FILE)}, so the server would refuse the license. Remove the variable, or issue licenses where its private key is.`,
    );
  return { license: await sign(db, facts, key), publicKey };
}

/** The license that an installation issues to itself: all features, without end or limit. */
const OWN_LICENSE: LicenseFacts = {
  subscription_id: 'self-issued',
  corporation: 'Sallyport',
  expired: '9999-12-31',
  asset_count: 0,
  edition: 'enterprise',
};

/** Returns true if the installation issued this license to itself. */
export const isOwn = ({ subscription_id }: LicenseFacts): boolean =>
  subscription_id === OWN_LICENSE.subscription_id;

/** Returns why this server cannot issue the installation's own license. Undefined if it can. */
export async function issueRefusal(
  db: Db | Tx,
  { dataDirectory, licensePublicKey }: Issuer,
): Promise<ErrorCode | undefined> {
  const file = join(dataDirectory, KEY_FILE);
  const own = existsSync(file) ? publicKeyOf(readFileSync(file, 'utf8')) : undefined;
  if (licensePublicKey !== undefined)
    return licensePublicKey === own ? undefined : 'license_key_configured';
  const { rows } = await sql<{ public_key: string }>`select public_key from license_key`.execute(
    db,
  );
  const [known] = rows;
  // Another key would invalidate the licenses of the other server.
  return known && known.public_key !== own ? 'license_key_elsewhere' : undefined;
}

/** Issues the installation's own license. @throws AppError if this server lacks the key */
export async function issueOwn(tx: Db | Tx, issuer: Issuer): Promise<LicenseDocument> {
  const refusal = await issueRefusal(tx, issuer);
  if (refusal) throw refusedLicense(refusal);
  return sign(tx, OWN_LICENSE, privateKey(issuer.dataDirectory));
}
