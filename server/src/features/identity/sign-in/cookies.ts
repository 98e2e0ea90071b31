import type { FastifyReply } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { randomToken } from '../../../platform/crypto/token.ts';
import { Forbidden } from '../../../platform/errors.ts';
import { CSRF_COOKIE, hasCsrfToken, isOwnOrigin, SESSION_COOKIE } from '../authenticator.ts';
import { clearHiddenCookie, isHttps, readCookie, setHiddenCookie } from '../cookie-names.ts';
import { PENDING_SECONDS, REVIEW_SECONDS } from './pending.ts';

/** Carries a sign-in from step to step; HttpOnly. */
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

/** Whether the person comes by HTTPS, here or at the proxy in front of us. */
export const isSecure = ({ request }: PublicContext, publicUrl: string | undefined): boolean =>
  isHttps(request, publicUrl);

/** Refuses requests that do not come from our own pages: signing a user in to the attacker's account is an attack as well. */
export function assertOwnPage({ request }: PublicContext, publicUrl: string | undefined): void {
  if (!isOwnOrigin(request, publicUrl)) throw new Forbidden('origin_refused');
  if (!hasCsrfToken(request)) throw new Forbidden('csrf_failed');
}

/** The ticket of the sign-in that a request goes on with. */
export const ticketOf = ({ request }: PublicContext, secure: boolean): string | undefined =>
  readCookie(request, SIGN_IN_COOKIE, secure);

/** Gives the ticket to the visitor, for as long as its step may take. */
export function setTicket(
  context: PublicContext,
  ticket: string,
  secure: boolean,
  waitsForReview = false,
): void {
  setHiddenCookie(
    context.reply,
    SIGN_IN_COOKIE,
    ticket,
    secure,
    waitsForReview ? REVIEW_SECONDS : PENDING_SECONDS,
  );
}

/** Takes the ticket away. */
export function clearTicket(context: PublicContext, secure: boolean): void {
  if (ticketOf(context, secure) !== undefined)
    clearHiddenCookie(context.reply, SIGN_IN_COOKIE, secure);
}

/** Gives a browser its session, and a new token for forms, so that one planted before is worth nothing. */
export function setSession(
  context: PublicContext,
  token: string,
  seconds: number,
  secure: boolean,
): void {
  setHiddenCookie(context.reply, SESSION_COOKIE, token, secure, seconds);
  setCsrfCookie(context.reply, secure);
}
