import type { Entry } from 'ldapts';
import { describe, expect, it } from 'vitest';
import { keyOf, stateOf } from './person-state.ts';

const NOW = Date.parse('2026-06-15T12:00:00Z');
const entry = (more: Record<string, string | string[] | Buffer>): Entry => ({
  dn: 'cn=li,dc=example',
  ...more,
});
const filetime = (date: string) =>
  String((BigInt(Date.parse(date)) + 11_644_473_600_000n) * 10_000n);

describe('the state of a person', () => {
  it.each([
    // Active Directory: the numbers of real accounts.
    [{ userAccountControl: '512' }, 'listed'],
    [{ userAccountControl: '514' }, 'disabled'],
    [{ useraccountcontrol: ['66050'] }, 'disabled'],
    [{ userAccountControl: '512', accountExpires: '0' }, 'listed'],
    [{ userAccountControl: '512', accountExpires: '9223372036854775807' }, 'listed'],
    [{ accountExpires: filetime('2026-06-15T11:59:59Z') }, 'expired'],
    [{ accountExpires: filetime('2026-06-15T12:00:01Z') }, 'listed'],
    [{ userAccountControl: '514', accountExpires: filetime('2020-01-01T00:00:00Z') }, 'disabled'],
    [{ lockoutTime: '0' }, 'listed'],
    [{ lockoutTime: '133000000000000000' }, 'locked'],
    // The lock has ended, its time is still there.
    [{ lockoutTime: '133000000000000000', 'msDS-User-Account-Control-Computed': '0' }, 'listed'],
    [{ lockoutTime: '133000000000000000', 'msDS-User-Account-Control-Computed': '16' }, 'locked'],
    // Active Directory Lightweight Directory Services has no userAccountControl.
    [{ 'msDS-UserAccountDisabled': 'TRUE' }, 'disabled'],
    [{ 'msds-useraccountdisabled': 'FALSE' }, 'listed'],
    [{ 'ms-DS-UserAccountAutoLocked': 'TRUE' }, 'locked'],
    [{ 'msDS-User-Account-Control-Computed': '8388608' }, 'must_change'],
    [{ userAccountControl: '512', pwdLastSet: '0' }, 'must_change'],
    [{ userAccountControl: '66048', pwdLastSet: '0' }, 'listed'],
    [{ pwdLastSet: '133000000000000000' }, 'listed'],
    // 389 Directory Server
    [{ nsAccountLock: 'TRUE' }, 'disabled'],
    [{ nsaccountlock: 'true' }, 'disabled'],
    [{ nsAccountLock: 'false' }, 'listed'],
    [{ passwordExpirationTime: '19700101000000Z' }, 'must_change'],
    [{ passwordExpirationTime: '20380119031407Z' }, 'listed'],
    [{ accountUnlockTime: '20260615120100Z' }, 'locked'],
    [{ accountUnlockTime: '20260615115900Z' }, 'listed'],
    [{ accountUnlockTime: '19700101000000Z' }, 'locked'],
    // OpenLDAP
    [{ pwdAccountLockedTime: '000001010000Z' }, 'disabled'],
    [{ pwdAccountLockedTime: '00000101000000Z' }, 'disabled'],
    [{ pwdAccountLockedTime: '20260615115900Z' }, 'locked'],
    [{ pwdReset: 'TRUE' }, 'must_change'],
    [{ pwdReset: 'FALSE' }, 'listed'],
    [{ pwdEndTime: '20260615115900Z' }, 'expired'],
    [{ pwdEndTime: '20260615130000+0200' }, 'expired'],
    [{ pwdEndTime: '20260615110000-0200' }, 'listed'],
    // RFC 2307: days since 1970
    [{ shadowExpire: '-1' }, 'listed'],
    [{ shadowExpire: '1' }, 'expired'],
    [{ shadowExpire: '20619' }, 'expired'],
    [{ shadowExpire: '20620' }, 'listed'],
    // FreeIPA
    [{ krbPrincipalExpiration: '20260615115959Z' }, 'expired'],
    [{ krbprincipalexpiration: '20260615120001Z' }, 'listed'],
    [{ krbPrincipalExpiration: '20200101000000Z', nsAccountLock: 'TRUE' }, 'disabled'],
    // OpenDJ, PingDirectory, Oracle Unified Directory
    [{ 'ds-pwp-account-disabled': 'true' }, 'disabled'],
    [{ 'ds-pwp-account-disabled': 'false' }, 'listed'],
    [{ 'ds-pwp-account-expiration-time': '20260615115959.000Z' }, 'expired'],
    // eDirectory
    [{ loginDisabled: 'TRUE' }, 'disabled'],
    [{ loginDisabled: 'FALSE', loginExpirationTime: '20260615120001Z' }, 'listed'],
    [{ loginExpirationTime: '20260615115959Z' }, 'expired'],
    [{ lockedByIntruder: 'TRUE', loginIntruderResetTime: '20260615120001Z' }, 'locked'],
    [{ lockedByIntruder: 'TRUE', loginIntruderResetTime: '20260615115959Z' }, 'listed'],
    [{ lockedByIntruder: 'TRUE' }, 'locked'],
    // IBM Security Directory Server
    [{ 'ibm-pwdAccountLocked': 'true' }, 'locked'],
    // Values that say nothing.
    [{}, 'listed'],
    [{ userAccountControl: 'x', accountExpires: '-1', shadowExpire: '' }, 'listed'],
    [{ passwordExpirationTime: 'soon', accountUnlockTime: '2026' }, 'listed'],
    [{ accountExpires: '99999999999999999999999' }, 'listed'],
  ] as const)('reads %j as %s', (attributes, state) => {
    expect(stateOf(entry(attributes as Record<string, string>), NOW)).toBe(state);
  });
});

describe('the permanent id of an entry', () => {
  it('takes bytes and texts, and nothing without one', () => {
    expect(keyOf(entry({ objectGUID: Buffer.from([1, 255]), entryUUID: 'A' }))).toBe(
      'objectGUID:01ff',
    );
    expect(keyOf(entry({ entryuuid: 'AB-CD' }))).toBe('entryUUID:ab-cd');
    expect(keyOf(entry({ 'ibm-entryuuid': 'AB-CD' }))).toBe('ibm-entryUUID:ab-cd');
    expect(keyOf(entry({ GUID: Buffer.from([2, 254]) }))).toBe('GUID:02fe');
    expect(keyOf(entry({ orclguid: 'F1', GUID: Buffer.alloc(0) }))).toBe('orclGUID:f1');
    expect(keyOf(entry({ nsUniqueId: ['x-1'] }))).toBe('nsUniqueId:x-1');
    expect([keyOf(entry({})), keyOf(entry({ entryUUID: '' }))]).toEqual([undefined, undefined]);
  });
});
