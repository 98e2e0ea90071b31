import { expect, it } from 'vitest';
import { isImportedHash, MAX_ITERATIONS } from './imported-hash.ts';
import { hashPassword, verifyPassword } from './password.ts';

/** Computed by Python's `hashlib.pbkdf2_hmac` in the format of Django. */
const HASH = 'pbkdf2_sha256$1200$seasalt$o1GNTavDBbrKK7a64SqUwALfSBiLSjIVl+HdtWkfRPE=';

it('verifies a hash of Django, and nothing but its password', async () => {
  expect(isImportedHash(HASH)).toBe(true);
  expect(await verifyPassword(HASH, 'correct horse')).toBe(true);
  for (const wrong of ['', 'Correct horse', 'correct horse ', HASH])
    expect(await verifyPassword(HASH, wrong), wrong).toBe(false);
});

it.each([
  ['too many iterations', HASH.replace('1200', String(MAX_ITERATIONS + 1))],
  ['no iterations', HASH.replace('1200', '0')],
  ['another algorithm', HASH.replace('sha256', 'sha1')],
  ['a cut digest', HASH.slice(0, -4)],
  ['a mark of an unusable password', '!'],
])('does not take %s for a hash', async (_what, hash) => {
  expect(isImportedHash(hash)).toBe(false);
});

it('leaves own hashes to Argon2', async () => {
  const own = await hashPassword('correct horse');
  expect(isImportedHash(own)).toBe(false);
  expect(await verifyPassword(own, 'correct horse')).toBe(true);
});
