import { createHash, randomBytes } from 'node:crypto';

/** A token of 256 random bits in letters that need no quoting anywhere; some clients cannot read `=` in a cookie. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token: it cannot be used by a reader of the database. */
export function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
