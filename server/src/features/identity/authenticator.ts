import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Authenticator } from '../../http/route.ts';
import { type Actor, bitsOf } from '../../platform/actor.ts';
import type { Vault } from '../../platform/crypto/vault.ts';
import type { Db } from '../../platform/db/database.ts';
import { Forbidden } from '../../platform/errors.ts';
import { type PlaceColumns, readPlace } from '../orgs/service.ts';
import type { SettingsService } from '../settings/service.ts';
import { findSigner } from './access-keys/signature.ts';
import { isHttps, readCookie } from './cookie-names.ts';
import { count, createAllowance } from './sign-in/rate-limit.ts';
import { findSignIn, type SignedIn } from './sign-in-sessions/store.ts';

/** The browser's sign-in; HttpOnly. Clients of the reference look for these two names. */
export const SESSION_COOKIE = 'sessionid';
/** Read by our own pages and sent back as a header, which another site cannot do. */
export const CSRF_COOKIE = 'csrftoken';

/** Requests that one access key may sign at once, and for each second from then on. */
const KEY_BURST = 400;
const KEY_PER_SECOND = 40;
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Whether the page that sent a request is one of ours. Requests without an origin come from programs, which carry no cookies of others. */
export function isOwnOrigin(
  request: Pick<FastifyRequest, 'headers' | 'host'>,
  publicUrl: string | undefined,
): boolean {
  const { origin, referer, 'sec-fetch-site': site } = request.headers;
  // Programs send none of them.
  const from = origin ?? referer;
  if (origin === undefined && (site === 'cross-site' || site === 'same-site')) return false;
  if (from === undefined) return true;
  if (!URL.canParse(from)) return false;
  const { host } = new URL(from);
  return host === request.host || (publicUrl !== undefined && host === new URL(publicUrl).host);
}

/** Whether the header repeats the cookie (double submit). */
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

/** Finds out who asks: a bearer token, the signature of an access key, or the session cookie with proof against forged requests. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
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
    if (cookie) return findSignIn(db, cookie, 'browser', organization, life);
    const old = request.cookies[SESSION_COOKIE];
    return old
      ? findSignIn(db, old, 'browser', organization, { ...life, isOldName: true })
      : undefined;
  };

  const findSigned = async (request: FastifyRequest): Promise<Found | undefined> => {
    const organization = wantedOrganization(request);
    const [scheme, token] = (request.headers.authorization ?? '').split(' ');
    if (scheme?.toLowerCase() === 'bearer' && token)
      return findSignIn(db, token, 'bearer', organization);
    if (scheme?.toLowerCase() === 'signature') {
      const signer = await findSigner(request, organization, db, options.vault);
      // Counted after the signature was verified: an attacker cannot use up the limit of another user's key.
      if (signer) count(keys, signer.session_id);
      return signer;
    }
    const found = await findBrowser(request, organization);
    if (!found) return undefined;
    // A socket is opened by GET and then does anything: its origin is always checked.
    const isSocket = request.method === 'GET' && request.headers.upgrade !== undefined;
    if ((isSocket || !SAFE_METHODS.has(request.method)) && !isOwnOrigin(request, publicUrl))
      throw new Forbidden('origin_refused');
    if (!isSocket && !SAFE_METHODS.has(request.method) && !hasCsrfToken(request))
      throw new Forbidden('csrf_failed');
    return found;
  };

  return {
    async authenticate(request): Promise<Actor | undefined> {
      const signed = await findSigned(request);
      // A disabled account is not signed in any more, even with a valid token.
      if (!signed?.is_active) return undefined;
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
        organization,
        isValid,
        permissions: bitsOf(standing, isValid),
        remoteAddress: request.ip,
        session: { id: signed.session_id, kind: signed.kind },
      };
    },
  };
}

/** The organization a request names: query, header, cookie. */
function wantedOrganization(request: FastifyRequest): string | undefined {
  const query = (request.query as Record<string, unknown> | undefined)?.oid;
  const header = request.headers['x-jms-org'];
  return (
    (typeof query === 'string' && query) ||
    (typeof header === 'string' && header) ||
    request.cookies['X-JMS-ORG']
  );
}

/** `current_org_roles`: Admin if one can administer, then Auditor if one can audit, otherwise User. */
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
