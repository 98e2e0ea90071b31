import type { FastifyReply } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { randomToken } from '../../../platform/crypto/token.ts';
import { Forbidden } from '../../../platform/errors.ts';
import { CSRF_COOKIE, hasCsrfToken, isOwnOrigin, SESSION_COOKIE } from '../authenticator.ts';
import { clearHiddenCookie, isHttps, readCookie, setHiddenCookie } from '../cookie-names.ts';
import { PENDING_SECONDS, REVIEW_SECONDS } from './pending.ts';

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
