import {
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import type { Configuration } from 'openid-client';
import { type Allowance, createAllowance } from '../identity/index.ts';
import { fetchFromProvider, TIMEOUT_SECONDS } from './provider.ts';

/**
 * Sign-ins that a provider has ended: all of a user, or one session (OpenID Connect Back-Channel
 * Logout 1.0, section 2.4).
 */
interface EndedAtProvider {
  readonly issuer: string;
  readonly id: string;
  /** Empty if the token names a session only. */
  readonly subject: string;
  /** Empty for all sessions of the user. */
  readonly session: string;
}

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Asymmetric signatures only: neither the client secret nor "none" is accepted. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
const MAX_TOKEN_AGE_SECONDS = 600;
const CLOCK_SECONDS = 60;
const MAX_TEXT = 1024;

/** Fetches of keys for tokens that no known key has signed: at once, and per second. */
const FETCHES = [5, 1 / 30] as const;
/** Lifetime of fetched keys. */
const KEYS_MS = 600_000;
const OPTIONS = {
  timeoutDuration: TIMEOUT_SECONDS * 1000,
  cacheMaxAge: KEYS_MS,
  // Unknown keys are fetched by `verify`.
  cooldownDuration: KEYS_MS,
  [customFetch]: (url: string, options: RequestInit) =>
    fetchFromProvider(url, { ...options, redirect: 'error' }),
};

interface Keys {
  readonly address: string;
  readonly set: ReturnType<typeof createRemoteJWKSet>;
  readonly allowance: Allowance;
}
let keys: Keys | undefined;

function keysOf(provider: Configuration): Keys {
  const address = provider.serverMetadata().jwks_uri;
  if (address === undefined) throw new Error('The provider has no signing keys');
  if (keys?.address !== address)
    keys = {
      address,
      set: createRemoteJWKSet(new URL(address), OPTIONS),
      allowance: createAllowance(...FETCHES),
    };
  return keys;
}

/**
 * Verifies a token. A provider may have changed its keys since the last fetch, even under the same
 * name. So a token that no known key has signed fetches the keys again, within the allowance.
 */
async function verify(
  token: string,
  { address, set, allowance }: Keys,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, set, options)).payload;
  } catch (error) {
    const isUnknown =
      error instanceof errors.JWKSNoMatchingKey ||
      error instanceof errors.JWSSignatureVerificationFailed;
    if (!isUnknown || allowance(address) > 0) throw error;
    await set.reload();
    return (await jwtVerify(token, set, options)).payload;
  }
}

/** Verifies a logout token. @throws Error if it is not from this provider for this client */
export async function readLogoutToken(
  token: string,
  provider: Configuration,
  clientId: string,
): Promise<EndedAtProvider> {
  const payload = await verify(token, keysOf(provider), {
    issuer: provider.serverMetadata().issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_SECONDS,
    maxTokenAge: MAX_TOKEN_AGE_SECONDS,
  });
  const { iss = '', jti, sub = '', sid = '', nonce, events } = payload;
  const isLogout = typeof events === 'object' && events !== null && EVENT in events;
  // An ID token has a nonce, and must not pass as a logout token.
  if (!isLogout || nonce !== undefined) throw new Error('not a logout token');
  if (
    typeof jti !== 'string' ||
    typeof sid !== 'string' ||
    [jti, sub, sid].some((text) => text.length > MAX_TEXT)
  )
    throw new Error('a claim cannot be used');
  if (jti === '' || (sub === '' && sid === '')) throw new Error('the token names nothing');
  return { issuer: iss, id: jti, subject: sub, session: sid };
}
