import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';
import type { ExternalIdentity } from '../identity/accounts/external-identities.ts';

/** What a browser carries from the beginning of a sign-in to its end; sealed. */
export interface Asked {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The claim for each field. */
export interface ClaimMap {
  readonly username: string;
  readonly name: string;
  readonly email: string;
}

/** The address at the provider where the user signs in, and what the browser has to bring back. */
export async function ask(
  provider: Configuration,
  redirect: string,
  scope: string,
): Promise<{ readonly url: URL; readonly asked: Asked }> {
  const asked = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  const url = buildAuthorizationUrl(provider, {
    redirect_uri: redirect,
    scope,
    response_type: 'code',
    state: asked.state,
    nonce: asked.nonce,
    code_challenge: await calculatePKCECodeChallenge(asked.verifier),
    code_challenge_method: 'S256',
  });
  return { url, asked };
}

/**
 * Reads what the provider answers: the token's signature, issuer, audience, nonce and times are
 * checked, and the state and verifier are this browser's.
 */
export async function answer(
  provider: Configuration,
  address: URL,
  asked: Asked,
  map: ClaimMap,
): Promise<{
  readonly external: Omit<ExternalIdentity, 'source'>;
  readonly idToken: string;
  readonly session: string;
}> {
  const tokens = await authorizationCodeGrant(provider, address, {
    expectedState: asked.state,
    expectedNonce: asked.nonce,
    pkceCodeVerifier: asked.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error('The provider sent no ID token');
  const more = provider.serverMetadata().userinfo_endpoint
    ? await fetchUserInfo(provider, tokens.access_token, claims.sub)
    : {};
  const all: Readonly<Record<string, unknown>> = { ...more, ...claims };
  const text = (claim: string) => (typeof all[claim] === 'string' ? all[claim].trim() : '');
  return {
    idToken: tokens.id_token ?? '',
    session: typeof claims.sid === 'string' ? claims.sid : '',
    external: {
      issuer: claims.iss,
      subject: claims.sub,
      username: text(map.username),
      name: text(map.name),
      email: text(map.email),
      // The provider's verification is about the claim `email` and no other.
      emailVerified: map.email === 'email' && all.email_verified === true,
      // People may choose it at many providers.
      usernameGiven: false,
    },
  };
}

/** The sign-out address of the provider; undefined when it has none. */
export function endUrl(provider: Configuration, idToken: string, back: string): URL | undefined {
  if (!provider.serverMetadata().end_session_endpoint) return undefined;
  return buildEndSessionUrl(provider, { id_token_hint: idToken, post_logout_redirect_uri: back });
}
