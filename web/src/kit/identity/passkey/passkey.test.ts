import { describe, expect, it } from 'vitest';
import { passkeyObstacle } from './passkey.ts';

const page = { isSecureContext: true, hostname: 'gate.example.com', hasApi: true };

describe('passkeys', () => {
  it.each([
    ['a secure page with a name', page, undefined],
    ['this machine by its name', { ...page, hostname: 'localhost' }, undefined],
    ['a page without HTTPS', { ...page, isSecureContext: false, hasApi: false }, 'insecure'],
    ['an IPv4 address', { ...page, hostname: '10.1.2.3' }, 'address'],
    [
      'an IPv4 address without HTTPS',
      { isSecureContext: false, hostname: '10.1.2.3', hasApi: false },
      'address',
    ],
    ['an IPv6 address', { ...page, hostname: '[::1]' }, 'address'],
    ['a browser without them', { ...page, hasApi: false }, 'unsupported'],
  ])('names the reason why passkeys do not work on %s', (_, where, obstacle) => {
    expect(passkeyObstacle(where)).toBe(obstacle);
  });
});
