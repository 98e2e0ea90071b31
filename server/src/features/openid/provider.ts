import { createHash } from 'node:crypto';
import type { Configuration } from 'openid-client';
import { isProtected } from '../../platform/protected-address.ts';
import type { SettingsService } from '../settings/service.ts';

/** What a provider is found by. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: string;
}

/** The provider that the settings name, ready to be asked. */
export interface Provider {
  /** @throws Error when it cannot be reached or is not what the settings say */
  get(): Promise<Configuration>;
}

/** What the provider says of itself is asked again after this long. */
const REMEMBERED = 60 * 60_000;
export const TIMEOUT_SECONDS = 10;

/**
 * Asks an issuer what it is. @throws Error when it cannot be reached or is not what the settings
 * say
 */
export async function findProvider({
  issuer,
  clientId,
  secret,
}: ProviderSettings): Promise<Configuration> {
  if (!URL.canParse(issuer)) throw new Error('The issuer is no address');
  const address = new URL(issuer);
  const { allowInsecureRequests, discovery, enableNonRepudiationChecks } = await import(
    'openid-client'
  );
  return discovery(address, clientId, secret || undefined, undefined, {
    timeout: TIMEOUT_SECONDS,
    execute: [
      // The signature is always checked, even over TLS; otherwise the algorithm "none" would be
      // accepted.
      enableNonRepudiationChecks,
      ...(address.protocol === 'http:' && isProtected(address) ? [allowInsecureRequests] : []),
    ],
  });
}

/** The provider settings that are in force. */
export function savedProvider(settings: Pick<SettingsService, 'get'>): ProviderSettings {
  return {
    issuer: settings.get('AUTH_OPENID_ISSUER'),
    clientId: settings.get('AUTH_OPENID_CLIENT_ID'),
    secret: settings.get('AUTH_OPENID_CLIENT_SECRET'),
  };
}

/** Discovers the provider by its issuer, and caches the result until the settings change. */
export function createProvider(settings: Pick<SettingsService, 'get'>): Provider {
  let remembered:
    | { readonly key: string; readonly until: number; readonly found: Promise<Configuration> }
    | undefined;

  return {
    get() {
      const saved = savedProvider(settings);
      const key = createHash('sha256').update(JSON.stringify(saved)).digest('hex');
      if (remembered?.key === key && remembered.until > Date.now()) return remembered.found;
      const found = findProvider(saved);
      remembered = { key, until: Date.now() + REMEMBERED, found };
      found.catch(() => {
        // What went wrong is tried again at once.
        if (remembered?.found === found) remembered = undefined;
      });
      return found;
    },
  };
}
