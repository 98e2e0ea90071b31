import { timingSafeEqual } from 'node:crypto';
import { signInRefusals } from '@sallyport/contract';
import type { FastifyRequest } from 'fastify';
import type { Authenticator } from '../../http/route.ts';
import { type Actor, bitsOf } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { Forbidden, Unauthenticated } from '../../platform/errors.ts';
import type { SettingsService } from '../../platform/settings/service.ts';
import { type PlaceColumns, readPlace } from '../orgs/index.ts';
import { joinReasons } from '../perms/index.ts';
import { findSigner } from './access-keys/signature.ts';
import { isHttps, readCookie } from './cookie-names.ts';
import { countUse, createAllowance } from './sign-in/rate-limit.ts';
import { signInCircumstances } from './sign-in-rules/store.ts';
import { findSignIn, type SignedIn } from './sign-in-sessions/store.ts';
import { isProofOld } from './source-state/proof.ts';

/** Session cookie of browsers; HttpOnly. Existing clients expect these two names. */
export const SESSION_COOKIE = 'sessionid';
/** Our own pages read this cookie and send it back as a header, which other sites cannot do. */
export const CSRF_COOKIE = 'csrftoken';

/** Burst limit and refill per second of requests with one access key. */
const KEY_BURST = 400;
const KEY_PER_SECOND = 40;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns true if a page of ours sent the request. Requests without an origin come from programs,
 * which carry no cookies of users.
 */
export function isOwnOrigin(
  request: Pick<FastifyRequest, 'headers' | 'host'>,
  publicUrl: string | undefined,
): boolean {
  const { origin, referer, 'sec-fetch-site': site } = request.headers;
  // Programs send neither header.
  const from = origin ?? referer;
  if (origin === undefined && (site === 'cross-site' || site === 'same-site')) return false;
  if (from === undefined) return true;
  if (!URL.canParse(from)) return false;
  const { host } = new URL(from);
  return host === request.host || (publicUrl !== undefined && host === new URL(publicUrl).host);
}

/** Returns true if the header repeats the cookie (double submit). */
export function hasCsrfToken(request: FastifyRequest): boolean {
  const cookie = Buffer.from(request.cookies[CSRF_COOKIE] ?? '');
  const header = Buffer.from(String(request.headers['x-csrftoken'] ?? ''));
  return cookie.length >= 16 && cookie.length === header.length && timingSafeEqual(cookie, header);
}

export interface AuthenticatorOptions {
  readonly db: Db;
  readonly settings: SettingsService;
  readonly vault: Vault;
  readonly publicUrl: string | undefined;
}

type Found = SignedIn & PlaceColumns;

/**
 * Rejects a request of an open sign-in that its rules refuse from here and now. Signing out is
 * always possible.
 * @throws Unauthenticated
 */
function assertRules(
  { sign_in_rules: rules, kind, has_factor }: SignedIn,
  request: FastifyRequest,
) {
  if (!rules || request.routeOptions.config.endsSignIn) return;
  const reasons = signInRefusals(rules, signInCircumstances(request.ip, kind), has_factor);
  if (reasons.length > 0)
    throw new Unauthenticated('sign_in_condition', { reason: joinReasons(reasons) });
}

/**
 * Rejects tokens, devices and access keys if the source confirmed the user too long ago. The
 * sign-ins of browsers have their own maximum.
 * @throws Unauthenticated
 */
function assertProved(signed: SignedIn, request: FastifyRequest, settings: SettingsService): void {
  if (signed.kind === 'browser' || request.routeOptions.config.endsSignIn) return;
  if (isProofOld(signed, settings)) throw new Unauthenticated('source_proof_old');
}

/** Authenticates the requests of agents. No other token opens their door, and theirs no other. */
export interface AgentAuthenticator {
  /**
   * Returns the owner of the agent; undefined without a valid token. `signInOf` returns the sign-in
   * of a token that renews itself. @throws AppError
   */
  authenticateAgent(
    request: FastifyRequest,
    signInOf: (token: string) => Promise<string | undefined>,
  ): Promise<Actor | undefined>;
}

/**
 * Authenticates requests by a bearer token, the signature of an access key, or the session cookie
 * with a CSRF check.
 */
export function createAuthenticator(
  options: AuthenticatorOptions,
): Authenticator & AgentAuthenticator {
  const { db, settings, publicUrl } = options;
  const keys = createAllowance(KEY_BURST, KEY_PER_SECOND);

  const findBrowser = async (
    request: FastifyRequest,
    organization: string | undefined,
  ): Promise<Found | undefined> => {
    const life = {
      idleSeconds: settings.get('SESSION_COOKIE_AGE'),
      maxSeconds: settings.get('SECURITY_SIGN_IN_MAX_DAYS') * 86_400,
    };
    const cookie = readCookie(request, SESSION_COOKIE, isHttps(request, publicUrl));
    if (cookie)
      return findSignIn(db, { token: cookie, kind: 'browser', organization, browser: life });
    const old = request.cookies[SESSION_COOKIE];
    return old
      ? findSignIn(db, {
          token: old,
          kind: 'browser',
          organization,
          browser: { ...life, isOldName: true },
        })
      : undefined;
  };

  const findSigned = async (request: FastifyRequest): Promise<Found | undefined> => {
    const organization = requestedOrganization(request);
    const [scheme, token] = (request.headers.authorization ?? '').split(' ');
    // Clients of version 2.1 also send their token as `Token`.
    if (/^(bearer|token)$/i.test(scheme ?? '') && token)
      return findSignIn(db, { token, kind: 'bearer', organization });
    if (scheme?.toLowerCase() === 'signature') {
      const signer = await findSigner(request, organization, db, options.vault);
      // Count after verifying the signature: an attacker cannot use up the limit of another user's
      // key.
      if (signer) countUse(keys, signer.session_id);
      return signer;
    }
    const signIn = await findBrowser(request, organization);
    if (!signIn) return undefined;
    // A socket is opened by GET and can then do anything: always check its origin.
    const isSocket = request.method === 'GET' && request.headers.upgrade !== undefined;
    if ((isSocket || !SAFE_METHODS.has(request.method)) && !isOwnOrigin(request, publicUrl))
      throw new Forbidden('origin_refused');
    if (!isSocket && !SAFE_METHODS.has(request.method) && !hasCsrfToken(request))
      throw new Forbidden('csrf_failed');
    return signIn;
  };

  const actorOf = (signed: Found | undefined, request: FastifyRequest): Actor | undefined => {
    // A disabled account is signed out, even with a valid token.
    if (!signed?.is_active) return undefined;
    assertProved(signed, request, settings);
    assertRules(signed, request);
    const { organization, roles } = readPlace(signed);
    const standing = {
      role: signed.role,
      organizationRoles: standingIn(signed.role, organization.id, roles),
    };
    const isValid = !signed.is_expired;
    return {
      ...standing,
      userId: signed.user_id,
      username: signed.username,
      name: signed.name,
      duty: signed.duty,
      organization,
      isValid,
      permissions: bitsOf(standing, isValid),
      remoteAddress: request.ip,
      session: { id: signed.session_id, kind: signed.kind },
    };
  };

  return {
    authenticate: async (request) => actorOf(await findSigned(request), request),
    async authenticateAgent(request, signInOf) {
      const [scheme, token] = (request.headers.authorization ?? '').split(' ');
      if (!/^bearer$/i.test(scheme ?? '') || !token) return undefined;
      const id = await signInOf(token);
      const by = id === undefined ? { token } : { id };
      return actorOf(
        await findSignIn(db, { ...by, kind: 'agent', organization: undefined }),
        request,
      );
    },
  };
}

/** Returns the organization of the request, from query, header or cookie in this order. */
function requestedOrganization(request: FastifyRequest): string | undefined {
  const query = (request.query as Record<string, unknown> | undefined)?.oid;
  const header = request.headers['x-jms-org'];
  return (
    (typeof query === 'string' && query) ||
    (typeof header === 'string' && header) ||
    request.cookies['X-JMS-ORG']
  );
}

/**
 * Returns `current_org_roles`: Admin for administrators, then Auditor for auditors, otherwise User.
 */
export function standingIn(
  role: 'Admin' | 'User' | 'Auditor',
  organizationId: string,
  memberRoles: readonly string[],
): ('Admin' | 'Auditor' | 'User')[] {
  const isAdmin = role === 'Admin' || (organizationId !== '' && memberRoles.includes('Admin'));
  const isAuditor =
    role === 'Auditor' || (organizationId !== '' && memberRoles.includes('Auditor'));
  return [...(isAdmin ? (['Admin'] as const) : []), isAuditor ? 'Auditor' : 'User'];
}
