import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { makeKeyWithCertificate } from '../../platform/crypto/self-signed.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';

const KEY = 'saml';
const KEY_CONTEXT = 'provider_key.private_key.saml';
/**
 * Browsers never check this certificate. Replacing it requires an administrator at the provider, so
 * it is long-lived.
 */
const KEY_YEARS = 20;

/** The key of this installation. It signs requests and decrypts assertions. */
export interface OwnKey {
  readonly privateKey: KeyObject;
  readonly certificate: X509Certificate;
}

/** Returns the key of this installation, which all servers share. Creates it at first use. */
export async function ownKey(db: Db, vault: Vault): Promise<OwnKey> {
  const find = () =>
    sql<{
      private_key: string;
      certificate: string;
    }>`select private_key, certificate from provider_key where name = ${KEY}`.execute(db);
  let [row] = (await find()).rows;
  if (!row) {
    const created = await makeKeyWithCertificate('Sallyport', KEY_YEARS);
    await sql`
      insert into provider_key (name, private_key, certificate)
        values (${KEY}, ${vault.seal(created.privateKey, KEY_CONTEXT)}, ${created.certificate})
      on conflict do nothing`.execute(db);
    [row] = (await find()).rows;
  }
  if (!row) throw new Error('the key of SAML could not be stored');
  return {
    privateKey: createPrivateKey(vault.open(row.private_key, KEY_CONTEXT)),
    certificate: new X509Certificate(row.certificate),
  };
}
