import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { HttpError } from './error-bodies.ts';

/** Monitors and load balancers may use any host name. */
const HEALTH = /^\/api\/health\/?(\?|$)/;

/**
 * Refuses requests that address the server by a name that is not its own: a page of another site whose name was pointed at our address (DNS rebinding)
 * would otherwise read what is public here. Addresses in figures cannot be pointed elsewhere, so they are always right.
 */
export function checkHost(http: FastifyInstance, allowed: readonly string[]): void {
  const names = new Set(['localhost', ...allowed.map((name) => name.toLowerCase())]);
  http.addHook('onRequest', (request, _reply, done) => {
    const name = nameOf(request.host ?? '');
    if (HEALTH.test(request.url) || names.has(name) || isIP(name) > 0) done();
    else
      done(new HttpError(421, 'host_refused', { host: name.replace(/[^\w.-]/g, '').slice(0, 64) }));
  });
}

/** The name of a Host header without its port and the dot of a full name. */
function nameOf(host: string): string {
  return host
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}
