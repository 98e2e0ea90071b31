import { describe, expect, it } from 'vitest';
import { canUsePasskeys } from './passkey.ts';

const page = { isSecureContext: true, hostname: 'gate.example.com', hasApi: true };

describe('passkeys', () => {
  it.each([
    ['a secure page with a name', page, true],
    ['this machine by its name', { ...page, hostname: 'localhost' }, true],
    ['a page that is not secure', { ...page, isSecureContext: false }, false],
    ['an IPv4 address', { ...page, hostname: '10.1.2.3' }, false],
    ['an IPv6 address', { ...page, hostname: '[::1]' }, false],
    ['a browser without them', { ...page, hasApi: false }, false],
  ])('reports on %s if passkeys are available', (_, where, can) => {
    expect(canUsePasskeys(where)).toBe(can);
  });
});
