import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Whether the person comes by HTTPS, here or at the proxy in front of us. */
export function isHttps(
  request: Pick<FastifyRequest, 'protocol'>,
  publicUrl: string | undefined,
): boolean {
  return request.protocol === 'https' || publicUrl?.startsWith('https:') === true;
}

/** The name of a cookie: over HTTPS browsers take a name with this prefix from this very host only, so that no sibling site can plant one. */
const nameOf = (base: string, secure: boolean) => (secure ? `__Host-${base}` : base);

/** A cookie of ours that no script reads. */
export function readCookie(
  request: Pick<FastifyRequest, 'cookies'>,
  base: string,
  secure: boolean,
): string | undefined {
  return request.cookies[nameOf(base, secure)];
}

/** Sets a cookie that no script reads. */
export function setHiddenCookie(
  reply: FastifyReply,
  base: string,
  value: string,
  secure: boolean,
  maxAge?: number,
): void {
  reply.setCookie(nameOf(base, secure), value, {
    ...optionsOf(secure),
    ...(maxAge !== undefined && { maxAge }),
  });
}

/** Takes a cookie away, also under the name of before HTTPS. */
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
