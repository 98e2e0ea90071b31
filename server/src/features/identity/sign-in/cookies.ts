import type { FastifyReply } from 'fastify';
import type { PublicContext } from '../../../http/context.ts';
import { Refusal } from '../../../http/problem.ts';
import { randomToken } from '../../../platform/crypto/token.ts';
import { CSRF_COOKIE, hasCsrfToken, isOwnOrigin, SESSION_COOKIE } from '../authenticator.ts';
import { PENDING_SECONDS } from './pending.ts';

/** Carries a sign-in from step to step; HttpOnly. */
export const SIGN_IN_COOKIE = 'sallyport_signin';

/** Sets the cookie that our pages repeat as a header. */
export function setCsrfCookie(reply: FastifyReply, secure: boolean): void {
  reply.setCookie(CSRF_COOKIE, randomToken(), { path: '/', sameSite: 'lax', secure, maxAge: 31_449_600 });
}

/** Whether the person comes by HTTPS, here or at the proxy in front of us. */
export function isSecure(context: PublicContext, publicUrl: string | undefined): boolean {
  return context.request.protocol === 'https' || publicUrl?.startsWith('https:') === true;
}

/** Refuses what is not from one of our own pages: signing somebody in under a name of the attacker's is an attack as well. */
export function assertOwnPage({ request }: PublicContext, publicUrl: string | undefined): void {
  if (!isOwnOrigin(request, publicUrl)) throw new Refusal(403, 'origin_refused');
  if (!hasCsrfToken(request)) throw new Refusal(403, 'csrf_failed');
}

/** The ticket of the sign-in that a request goes on with. */
export const ticketOf = ({ request }: PublicContext): string | undefined => request.cookies[SIGN_IN_COOKIE];

/** Gives the ticket to the visitor. */
export function setTicket(context: PublicContext, ticket: string, secure: boolean): void {
  context.reply.setCookie(SIGN_IN_COOKIE, ticket, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: PENDING_SECONDS });
}

/** Takes the ticket away. */
export function clearTicket(context: PublicContext): void {
  if (ticketOf(context) !== undefined) context.reply.clearCookie(SIGN_IN_COOKIE, { path: '/' });
}

/** Gives a browser its session, and a new token for forms, so that one planted before is worth nothing. */
export function setSession(context: PublicContext, token: string, seconds: number, secure: boolean): void {
  context.reply.setCookie(SESSION_COOKIE, token, { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: seconds });
  setCsrfCookie(context.reply, secure);
}
