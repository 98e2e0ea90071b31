import type { FastifyInstance } from 'fastify';

/** Unused abilities of browsers. Clipboard, full screen and passkeys keep their default. */
const UNUSED = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

const OPENER = 'cross-origin-opener-policy';
/** Pages are opened without an opener, and identity providers by redirects. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'x-frame-options': 'SAMEORIGIN',
  'permissions-policy': UNUSED.map((name) => `${name}=()`).join(', '),
  'cross-origin-resource-policy': 'same-origin',
  [OPENER]: 'same-origin',
};

/** Adds the headers with which browsers keep other sites apart. */
export function addSecurityHeaders(http: FastifyInstance): void {
  http.addHook('onRequest', async (_request, reply) => void reply.headers(SECURITY_HEADERS));
  http.addHook('onSend', async (_request, reply) => {
    // Browsers show no sandboxed page with this header: files of targets and printed pages.
    if (/\bsandbox\b/.test(String(reply.getHeader('content-security-policy'))))
      reply.removeHeader(OPENER);
  });
}
