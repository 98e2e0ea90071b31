import { describe, expect, it } from 'vitest';
import { confirmingOf, factorsOf } from './confirming.ts';

const bare = { totp: false, passkeys: 0, date_verified: null, recovery_codes_left: 0 };
const lately = { date_verified: '2026-01-31 08:30:00 +0800' };
const minutesAfter = (minutes: number) =>
  Date.parse('2026-01-31T08:30:00+08:00') + minutes * 60_000;

describe('before what protects the account is changed', () => {
  it.each([
    ['the password, while there is no factor', bare, true, 'password'],
    [
      'nothing here, where the password is kept elsewhere and there is no factor',
      bare,
      false,
      'nothing',
    ],
    ['the authenticator', { ...bare, totp: true }, true, 'factor'],
    ['a passkey', { ...bare, passkeys: 1 }, false, 'factor'],
    [
      'nothing, when a factor was proved lately',
      { ...bare, totp: true, ...lately },
      true,
      'nothing',
    ],
    [
      'the password, whatever was proved when there was a factor',
      { ...bare, ...lately },
      true,
      'password',
    ],
  ] as const)('is asked %s', (_, state, hasPassword, asked) => {
    expect(confirmingOf(state, { hasPassword, seconds: 3_600, now: minutesAfter(59) })).toBe(asked);
  });

  it('is asked again when the time of the setting is over', () => {
    const state = { ...bare, totp: true, ...lately };
    expect(confirmingOf(state, { hasPassword: true, seconds: 3_600, now: minutesAfter(61) })).toBe(
      'factor',
    );
    expect(confirmingOf(state, { hasPassword: true, seconds: 60, now: minutesAfter(2) })).toBe(
      'factor',
    );
  });

  it('offers what there is', () => {
    expect(factorsOf({ ...bare, totp: true, passkeys: 2, recovery_codes_left: 3 })).toEqual([
      'totp',
      'passkey',
      'recovery',
    ]);
    expect(factorsOf({ ...bare, passkeys: 2 })).toEqual(['passkey']);
  });
});
