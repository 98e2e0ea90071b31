import { describe, expect, it } from 'vitest';
import { confirmingOf, factorsOf } from './confirming.ts';

const bare = { totp: false, passkeys: 0, date_verified: null, recovery_codes_left: 0 };
const lately = { date_verified: '2026-01-31 08:30:00 +0800' };
const minutesAfter = (minutes: number) =>
  Date.parse('2026-01-31T08:30:00+08:00') + minutes * 60_000;

describe('before what protects the account is changed', () => {
  it.each([
    ['the password while no factor exists', bare, true, 'password'],
    ['nothing if the password is external and no factor exists', bare, false, 'nothing'],
    ['the authenticator', { ...bare, totp: true }, true, 'factor'],
    ['a passkey', { ...bare, passkeys: 1 }, false, 'factor'],
    [
      'nothing if the last proof of a factor is still valid',
      { ...bare, totp: true, ...lately },
      true,
      'nothing',
    ],
    [
      'the password after the factor was removed, despite its last proof',
      { ...bare, ...lately },
      true,
      'password',
    ],
  ] as const)('asks for %s', (_, state, hasPassword, asked) => {
    expect(confirmingOf(state, { hasPassword, seconds: 3_600, now: minutesAfter(59) })).toBe(asked);
  });

  it('asks for the factor again when the last proof exceeds the time of the setting', () => {
    const state = { ...bare, totp: true, ...lately };
    expect(confirmingOf(state, { hasPassword: true, seconds: 3_600, now: minutesAfter(61) })).toBe(
      'factor',
    );
    expect(confirmingOf(state, { hasPassword: true, seconds: 60, now: minutesAfter(2) })).toBe(
      'factor',
    );
  });

  it('offers the factors of the account', () => {
    expect(factorsOf({ ...bare, totp: true, passkeys: 2, recovery_codes_left: 3 })).toEqual([
      'totp',
      'passkey',
      'recovery',
    ]);
    expect(factorsOf({ ...bare, passkeys: 2 })).toEqual(['passkey']);
  });
});
