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
import type { ExternalIdentity } from '../identity/index.ts';

/** State of a sign-in that the browser carries, sealed in a cookie. */
export interface SignInState {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The claim for each field. */
export interface ClaimMap {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  /** Claim with the groups of the user; blank: groups are not read. */
  readonly groups: string;
}

/** Returns the address at the provider for the sign-in, and the state for the browser. */
export async function startSignIn(
  provider: Configuration,
  redirect: string,
  scope: string,
): Promise<{ readonly url: URL; readonly state: SignInState }> {
  const state = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
  const url = buildAuthorizationUrl(provider, {
    redirect_uri: redirect,
    scope,
    response_type: 'code',
    state: state.state,
    nonce: state.nonce,
    code_challenge: await calculatePKCECodeChallenge(state.verifier),
    code_challenge_method: 'S256',
  });
  return { url, state };
}

/**
 * Exchanges the code of the provider. Verifies signature, issuer, audience, nonce and times of the
 * token, and that state and verifier are those of this browser.
 */
export async function finishSignIn(
  provider: Configuration,
  address: URL,
  asked: SignInState,
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
  const text = (name: string) => {
    const value = claimOf(all, name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    idToken: tokens.id_token ?? '',
    session: typeof claims.sid === 'string' ? claims.sid : '',
    external: {
      issuer: claims.iss,
      subject: claims.sub,
      username: text(map.username),
      name: text(map.name),
      email: text(map.email),
      // The verification applies to the claim `email` only.
      emailVerified: map.email === 'email' && isTrue(all.email_verified),
      // Users can choose their name at many providers.
      usernameGiven: false,
      groups: groupsIn(all, map.groups),
    },
  };
}

/** Returns a claim by its name, or by a path such as `realm_access.roles` of Keycloak. */
function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  const step = (from: unknown, part: string): unknown =>
    typeof from === 'object' && from !== null && Object.hasOwn(from, part)
      ? Reflect.get(from, part)
      : undefined;
  return step(claims, name) ?? name.split('.').reduce(step, claims);
}

/** Amazon Cognito and Apple send this claim as a text. */
const isTrue = (value: unknown) => value === true || value === 'true';

/**
 * Returns the claim with groups; null if the provider sent none, undefined if groups are not read
 * or are elsewhere (OpenID Connect Core 1.0, section 5.6.2), as for a user with very many.
 */
function groupsIn(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (name === '') return undefined;
  const elsewhere = claims._claim_names;
  const isElsewhere =
    typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, name);
  return claimOf(claims, name) ?? (isElsewhere ? undefined : null);
}

/** The sign-out address of the provider. Undefined if it has none. */
export function endUrl(provider: Configuration, idToken: string, back: string): URL | undefined {
  if (!provider.serverMetadata().end_session_endpoint) return undefined;
  return buildEndSessionUrl(provider, { id_token_hint: idToken, post_logout_redirect_uri: back });
}
