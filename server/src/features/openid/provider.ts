import { createHash } from 'node:crypto';
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  type CustomFetch,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ServerMetadata,
} from 'openid-client';
import { refuseMetadata } from '../../platform/address-policy.ts';
import { fetchLimited } from '../../platform/limited-fetch.ts';
import { isProtected } from '../../platform/outgoing.ts';
import type { SettingsService } from '../../platform/settings/service.ts';

/** The settings that identify a provider and this client. */
export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly secret: string;
  /** Place of the secret in a request: `header`, `body`, or `auto` by the metadata. */
  readonly clientAuth: string;
}

/** The provider of the settings. */
export interface Provider {
  /** @throws Error if it is unreachable or does not match the settings */
  get(): Promise<Configuration>;
}

/** Lifetime of the cached discovery document. */
const REMEMBERED = 60 * 60_000;
export const TIMEOUT_SECONDS = 10;

const MAX_BYTES = 1_000_000;

/** Fetches an address of a provider, up to a maximum size. @throws MetadataAddress, Error */
export async function fetchFromProvider(url: string, options: RequestInit): Promise<Response> {
  const { body, status, headers } = await fetchLimited(url, options, {
    maximum: MAX_BYTES,
    tooLarge: () => new Error('The answer of the provider is too large'),
  });
  return new Response(body.length > 0 ? new Uint8Array(body) : null, { status, headers });
}

const fetchChecked: CustomFetch = (url, options) =>
  fetchFromProvider(url, { ...options, body: options.body ?? null });

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
  'end_session_endpoint',
] as const satisfies readonly (keyof ServerMetadata)[];

/** @throws Error that names the endpoint with an address of a metadata service */
async function refuseEndpoints(server: ServerMetadata): Promise<void> {
  for (const name of ENDPOINTS) {
    const address = server[name];
    if (address === undefined || !URL.canParse(address)) continue;
    await refuseMetadata(new URL(address).hostname).catch((error: Error) => {
      throw new Error(`${name}: ${error.message}`, { cause: error });
    });
  }
}

/**
 * Sends the secret of the client. A provider that lists no methods takes `client_secret_basic`
 * (OpenID Connect Discovery 1.0, section 3), which a list with both methods prefers, too.
 */
function sendSecret(secret: string, clientAuth: string): ClientAuth {
  const [inHeader, inBody] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInBody =
      clientAuth === 'auto' ? !methods.includes('client_secret_basic') : clientAuth === 'body';
    (isInBody ? inBody : inHeader)(server, ...request);
  };
}

/**
 * Configures the client by the metadata of the issuer, which `fetchMetadata` fetches.
 * @throws Error if the provider is unreachable or does not match the settings
 */
async function configure(
  { issuer, clientId, secret, clientAuth }: ProviderSettings,
  fetchMetadata: CustomFetch,
): Promise<Configuration> {
  if (!URL.canParse(issuer)) throw new Error('The issuer is no address');
  const address = new URL(issuer);
  const authentication = secret ? sendSecret(secret, clientAuth) : undefined;
  const provider = await discovery(address, clientId, secret || undefined, authentication, {
    timeout: TIMEOUT_SECONDS,
    // The provider itself names the endpoints of every later request.
    [customFetch]: fetchMetadata,
    execute: [
      // Always verify the signature, even over TLS. Otherwise the algorithm "none" would be
      // accepted.
      enableNonRepudiationChecks,
      ...(address.protocol === 'http:' && isProtected(address) ? [allowInsecureRequests] : []),
    ],
  });
  provider[customFetch] = fetchChecked;
  return provider;
}

/**
 * Discovers a provider by its issuer.
 * @throws Error if it is unreachable or does not match the settings
 */
export async function findProvider(settings: ProviderSettings): Promise<Configuration> {
  const provider = await configure(settings, fetchChecked);
  await refuseEndpoints(provider.serverMetadata());
  return provider;
}

/** The provider settings in force. */
export function savedProvider(settings: Pick<SettingsService, 'get'>): ProviderSettings {
  return {
    issuer: settings.get('AUTH_OPENID_ISSUER'),
    clientId: settings.get('AUTH_OPENID_CLIENT_ID'),
    secret: settings.get('AUTH_OPENID_CLIENT_SECRET'),
    clientAuth: settings.get('AUTH_OPENID_CLIENT_AUTH'),
  };
}

/**
 * Discovers the provider by its issuer, and caches its metadata until the settings change. Each
 * caller gets its own configuration, because openid-client 6.8.9 keeps the signing keys of one
 * for 60 seconds or more: a sign-in must work right after the provider has changed its keys.
 */
export function createProvider(settings: Pick<SettingsService, 'get'>): Provider {
  let remembered:
    | { readonly key: string; readonly until: number; readonly metadata: Promise<string> }
    | undefined;

  const metadataOf = (saved: ProviderSettings): Promise<string> => {
    const key = createHash('sha256').update(JSON.stringify(saved)).digest('hex');
    if (remembered?.key === key && remembered.until > Date.now()) return remembered.metadata;
    const metadata = findProvider(saved).then((found) => JSON.stringify(found.serverMetadata()));
    remembered = { key, until: Date.now() + REMEMBERED, metadata };
    metadata.catch(() => {
      // A failure is not cached.
      if (remembered?.metadata === metadata) remembered = undefined;
    });
    return metadata;
  };
  return {
    async get() {
      const saved = savedProvider(settings);
      const metadata = await metadataOf(saved);
      return configure(saved, async () => Response.json(JSON.parse(metadata)));
    },
  };
}
