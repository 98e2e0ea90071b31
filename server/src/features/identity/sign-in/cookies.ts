import type { FastifyReply } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { randomToken } from '../../../platform/crypto/token.ts';
import type { Vault } from '../../../platform/crypto/vault.ts';
import { Forbidden } from '../../../platform/errors.ts';
import { CSRF_COOKIE, hasCsrfToken, isOwnOrigin, SESSION_COOKIE } from '../authenticator.ts';
import { clearHiddenCookie, isHttps, readCookie, setHiddenCookie } from '../cookie-names.ts';
import { PENDING_SECONDS, REVIEW_SECONDS } from './pending.ts';

/** Browsers drop larger cookies. */
const MAX_COOKIE = 3_800;

interface SealedCookieOptions {
  readonly name: string;
  /** Purpose of the seal: a value sealed for another purpose does not open. */
  readonly purpose: string;
  readonly vault: Vault;
  readonly publicUrl: string | undefined;
}

/** Creates a cookie whose value only this server reads. */
export function createSealedCookie({ name, purpose, vault, publicUrl }: SealedCookieOptions) {
  const secure = (context: PublicContext) => isSecure(context, publicUrl);
  const open = <T>(sealed: string | undefined): T | undefined => {
    if (!sealed) return undefined;
    try {
      return JSON.parse(vault.open(sealed, purpose)) as T;
    } catch {
      return undefined;
    }
  };
  return {
    /** Sets the cookie, unless it would be too large for a browser. */
    set(context: PublicContext, value: object, seconds?: number) {
      const sealed = vault.seal(JSON.stringify(value), purpose);
      if (sealed.length <= MAX_COOKIE)
        setHiddenCookie(context.reply, {
          base: name,
          value: sealed,
          secure: secure(context),
          maxAge: seconds,
        });
    },
    /** Returns the value and deletes the cookie. */
    take<T>(context: PublicContext): T | undefined {
      const value = open<T>(readCookie(context.request, name, secure(context)));
      clearHiddenCookie(context.reply, name, secure(context));
      return value;
    },
    /** Returns true if the browser sent the cookie, over either scheme. */
    isSet: ({ request }: PublicContext): boolean =>
      [true, false].some((isHttps) => readCookie(request, name, isHttps) !== undefined),
  };
}

/** Cookie with the ticket of a pending sign-in; HttpOnly. */
export const SIGN_IN_COOKIE = 'sallyport_signin';

/** Sets the cookie that our pages repeat as a header. */
export function setCsrfCookie(reply: FastifyReply, secure: boolean): void {
  reply.setCookie(CSRF_COOKIE, randomToken(), {
    path: '/',
    sameSite: 'lax',
    secure,
    maxAge: 31_449_600,
  });
}

/** Returns true if the user connects by HTTPS, to us or to the proxy in front of us. */
export const isSecure = ({ request }: PublicContext, publicUrl: string | undefined): boolean =>
  isHttps(request, publicUrl);

/** Rejects requests of other sites: signing a user in to an attacker's account is an attack too. */
export function assertOwnPage({ request }: PublicContext, publicUrl: string | undefined): void {
  if (!isOwnOrigin(request, publicUrl)) throw new Forbidden('origin_refused');
  if (!hasCsrfToken(request)) throw new Forbidden('csrf_failed');
}

/** Returns the ticket of the request's pending sign-in. */
export const ticketOf = ({ request }: PublicContext, secure: boolean): string | undefined =>
  readCookie(request, SIGN_IN_COOKIE, secure);

/** Sets the ticket cookie for the time that the step may take. */
export function setTicket(
  context: PublicContext,
  ticket: string,
  secure: boolean,
  waitsForReview = false,
): void {
  setHiddenCookie(context.reply, {
    base: SIGN_IN_COOKIE,
    value: ticket,
    secure,
    maxAge: waitsForReview ? REVIEW_SECONDS : PENDING_SECONDS,
  });
}

/** Deletes the ticket cookie. */
export function clearTicket(context: PublicContext, secure: boolean): void {
  if (ticketOf(context, secure) !== undefined)
    clearHiddenCookie(context.reply, SIGN_IN_COOKIE, secure);
}

/** Sets the session cookie and a new CSRF token, which invalidates a planted one. */
export function setSession(
  context: PublicContext,
  token: string,
  seconds: number,
  secure: boolean,
): void {
  setHiddenCookie(context.reply, {
    base: SESSION_COOKIE,
    value: token,
    secure,
    maxAge: seconds,
  });
  setCsrfCookie(context.reply, secure);
}
