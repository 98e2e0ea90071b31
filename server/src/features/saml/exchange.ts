import type { PublicContext } from '../../http/context.ts';
import { Rejected, Unavailable } from '../../platform/errors.ts';
import { XmlRefused } from '../../platform/xml/document.ts';
import type { ProviderPages, ProviderServices } from '../identity/index.ts';
import type { IdentityProvider, ServiceProvider } from './metadata.ts';
import { type OwnKey, ownKey } from './own-key.ts';
import { serviceOf } from './service-provider.ts';

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
