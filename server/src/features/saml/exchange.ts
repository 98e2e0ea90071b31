import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { PublicContext } from '../../http/context.ts';
import { makeKeyWithCertificate } from '../../platform/crypto/self-signed.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import { XmlRefused } from '../../platform/xml/document.ts';
import type { ProviderPages, ProviderServices } from '../identity/index.ts';
import type { IdentityProvider, ServiceProvider } from './metadata.ts';
import { serviceOf } from './service-provider.ts';

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

/** The two sides of an exchange of and the pages where a browser carries them. */
export interface Exchange {
  readonly services: ProviderServices;
  readonly pages: ProviderPages;
  readonly provider: () => Promise<IdentityProvider>;
}

/** Returns the identity of this server for the provider. */
export const ownSide = ({ services }: Exchange, context: PublicContext): ServiceProvider =>
  serviceOf(context, services.publicUrl, services.settings.get('AUTH_SAML_ENTITY_ID'));

export const keyOf = ({ services: { db, vault } }: Exchange): Promise<OwnKey> => ownKey(db, vault);

/** Returns the provider. @throws Unavailable if its metadata cannot be read */
export async function reachProvider({ services, provider }: Exchange): Promise<IdentityProvider> {
  try {
    return await provider();
  } catch (error) {
    services.log.warn(
      { error: error instanceof Error ? error.message : String(error) },
      'the metadata of the SAML provider could not be read',
    );
    throw new Unavailable('provider_unavailable');
  }
}

/** Creates the rejection of a message. Only the log names the failed check. */
export function refusal({ services }: Exchange, reason: string): Rejected {
  services.log.warn({ reason }, 'a message of the SAML provider was not accepted');
  return new Rejected('provider_failed');
}

/** Runs `read` on a message of the provider. @throws Rejected if the message is not acceptable */
export async function readMessage<T>(exchange: Exchange, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof XmlRefused) throw refusal(exchange, error.message);
    throw error;
  }
}
