import { createHash, randomBytes } from 'node:crypto';

/**
 * Returns a token of 256 random bits as base64url without `=`, which some clients cannot read in a
 * cookie.
 */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the stored digest of a token. Readers of the database cannot use it to sign in. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
