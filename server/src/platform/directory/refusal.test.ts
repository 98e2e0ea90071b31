import { expect, it } from 'vitest';
import { readRefusal } from './refusal.ts';

const answer = (code: number, text = '') => Object.assign(new Error(text), { code });
const reasonsOf = (codes: readonly number[]) => [
  ...new Set(codes.map((code) => readRefusal(answer(code), {}))),
];

// RFC 4511 §4.1.9 and the registry of RFC 4520 §3.6: 118 to 123 of RFC 3909, 3928 and 4528, 4096
// of RFC 4533, and codes of client libraries (81 to 97).
const UNAVAILABLE = [1, 3, 11, 51, 52, 80];
const WRONG = [32, 48, 49];
const ALL = [...Array.from({ length: 128 }, (_, code) => code), 4096, 4097, 16_654];

it('sorts every result of a bind into an outage, a wrong password or a refusal', () => {
  expect(reasonsOf(UNAVAILABLE)).toEqual([undefined]);
  expect(reasonsOf(WRONG)).toEqual(['wrong_password']);
  const others = ALL.filter((code) => ![...UNAVAILABLE, ...WRONG].includes(code));
  expect(reasonsOf(others)).toEqual(['refused']);
});

// Codes of Windows that Microsoft lists for a refused bind (0x525 to 0x775), in both letter cases.
const WINDOWS: readonly (readonly [data: string, reason: string])[] = [
  ...(['525', '52e', '52E'] as const).map((data) => [data, 'wrong_password'] as const),
  ...(['52f', '534', '568', '569', '80090346', '0'] as const).map(
    (data) => [data, 'refused'] as const,
  ),
  ['530', 'wrong_time'],
  ['531', 'wrong_place'],
  ['532', 'password_expired'],
  ['533', 'disabled'],
  ['701', 'expired'],
  ['773', 'must_change'],
  ['775', 'locked'],
];
it.each(WINDOWS)('reads data %s of Active Directory as %s', (data, reason) => {
  const text = `80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error, data ${data}, v2580`;
  expect(readRefusal(answer(49, text), {})).toBe(reason);
});
