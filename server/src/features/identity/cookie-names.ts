import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Returns true if the user connects by HTTPS, to us or to the proxy in front of us. */
export function isHttps(
  request: Pick<FastifyRequest, 'protocol'>,
  publicUrl: string | undefined,
): boolean {
  return request.protocol === 'https' || publicUrl?.startsWith('https:') === true;
}

/**
 * Over HTTPS, browsers accept a cookie with this prefix only from this host, so that no sibling
 * site can plant one.
 */
const nameOf = (base: string, secure: boolean) => (secure ? `__Host-${base}` : base);

/** Reads an HttpOnly cookie. */
export function readCookie(
  request: Pick<FastifyRequest, 'cookies'>,
  base: string,
  secure: boolean,
): string | undefined {
  return request.cookies[nameOf(base, secure)];
}

interface HiddenCookie {
  readonly base: string;
  readonly value: string;
  readonly secure: boolean;
  /** Seconds. Absent: until the browser closes. */
  readonly maxAge?: number | undefined;
}

/** Sets an HttpOnly cookie. */
export function setHiddenCookie(
  reply: FastifyReply,
  { base, value, secure, maxAge }: HiddenCookie,
): void {
  reply.setCookie(nameOf(base, secure), value, {
    ...optionsOf(secure),
    ...(maxAge !== undefined && { maxAge }),
  });
}

/** Deletes an HttpOnly cookie, under its plain name too. */
export function clearHiddenCookie(reply: FastifyReply, base: string, secure: boolean): void {
  reply.clearCookie(nameOf(base, secure), optionsOf(secure));
  if (secure) reply.clearCookie(base, optionsOf(secure));
}

const optionsOf = (secure: boolean): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure,
});
