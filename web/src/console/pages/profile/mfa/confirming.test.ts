import { describe, expect, it } from 'vitest';
import { confirmingOf, factorsOf } from './confirming.ts';

const bare = { totp: false, passkeys: 0, verified: false, recovery_codes_left: 0 };

describe('before what protects the account is changed', () => {
  it.each([
    ['the password, while there is no factor', bare, true, 'password'],
    ['nothing here, where the password is kept elsewhere and there is no factor', bare, false, 'nothing'],
    ['the authenticator', { ...bare, totp: true }, true, 'factor'],
    ['a passkey', { ...bare, passkeys: 1 }, false, 'factor'],
    ['nothing, when a factor was proved lately', { ...bare, totp: true, verified: true }, true, 'nothing'],
    ['the password, whatever was proved when there was a factor', { ...bare, verified: true }, true, 'password'],
  ] as const)('is asked %s', (_, state, hasPassword, asked) => {
    expect(confirmingOf(state, hasPassword)).toBe(asked);
  });

  it('offers what there is', () => {
    expect(factorsOf({ ...bare, totp: true, passkeys: 2, recovery_codes_left: 3 })).toEqual(['totp', 'passkey', 'recovery']);
    expect(factorsOf({ ...bare, passkeys: 2 })).toEqual(['passkey']);
  });
});
