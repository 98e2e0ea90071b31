import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { StartError } from '../../config.ts';
import type { Db } from '../../platform/db/database.ts';
import { areFacts, type LicenseDocument, publicKeyOf, signLicense } from './document.ts';

const KEY_FILE = 'license.key';
const EXAMPLE = "Example: license issue corporation='Example Ltd' expired=2027-01-31 asset_count=5000 edition=enterprise subscription_id=S-2026-0001";
const NAMES = ['subscription_id', 'corporation', 'expired', 'asset_count', 'edition'];

/** The private key that signs licenses; made at the first use, for this account's eyes only. */
function privateKey(directory: string): string {
  const file = join(directory, KEY_FILE);
  if (!existsSync(file)) {
    const { privateKey: made } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    writeFileSync(file, made, { mode: 0o600, flag: 'wx' });
  }
  return readFileSync(file, 'utf8');
}

/** Reads `name=value` words. @throws StartError */
function factsOf(words: readonly string[]): Record<string, unknown> {
  const pairs = words.map((word) => word.split(/=(.*)/s).slice(0, 2) as [string, string | undefined]);
  const unknown = pairs.find(([name, value]) => !NAMES.includes(name) || value === undefined);
  if (unknown) throw new StartError(`license issue does not know "${unknown[0]}". ${EXAMPLE}`);
  const given: Record<string, unknown> = Object.fromEntries(pairs);
  return {
    subscription_id: `S-${new Date().toISOString().slice(0, 10)}`,
    edition: 'enterprise',
    ...given,
    asset_count: Number(given.asset_count ?? Number.NaN),
  };
}

/** Signs a license with the key of the data folder and tells the database that key's public half, unless another one is configured. */
export async function issueLicense(
  db: Db,
  { dataDirectory, licensePublicKey }: { readonly dataDirectory: string; readonly licensePublicKey: string | undefined },
  words: readonly string[],
): Promise<{ readonly license: LicenseDocument; readonly publicKey: string }> {
  const facts = factsOf(words);
  if (!areFacts(facts))
    throw new StartError(`A license needs a corporation, the day on which it ends, and the number of assets it covers (0: as many as there are). ${EXAMPLE}`);
  const key = privateKey(dataDirectory);
  const publicKey = publicKeyOf(key);
  if (licensePublicKey !== undefined && licensePublicKey !== publicKey)
    throw new StartError(
      `SALLYPORT_LICENSE_PUBLIC_KEY is another key than that of ${join(dataDirectory, KEY_FILE)}, so the server would refuse the license. Remove the variable, or issue licenses where its private key is.`,
    );
  await sql`insert into license_key (public_key) values (${publicKey}) on conflict (only_row) do update set public_key = excluded.public_key`.execute(db);
  await sql`select pg_notify('settings', '')`.execute(db);
  const { subscription_id, corporation, expired, asset_count, edition } = facts;
  return { license: signLicense({ subscription_id, corporation, expired, asset_count, edition }, key), publicKey };
}
